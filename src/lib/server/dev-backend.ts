import type { IncomingMessage } from 'node:http';
import type { AstroIntegration } from 'astro';
import type { Backend } from './backend.ts';
import { isForBackend } from './proxy.ts';

/** Proxies the backend's paths on Astro's development server. */
export function devBackend({ proxy: passOn }: Backend): AstroIntegration {
  return {
    name: 'stoppress-dev-backend',
    hooks: {
      'astro:server:setup': ({ server }) => {
        if (!passOn) return;
        server.middlewares.use((request, response, next) => {
          if (!isForBackend(request.url)) return next();
          setClient(request);
          passOn.call(request, response);
        });
        server.httpServer?.on('upgrade', (request, socket, head) => {
          if (!isForBackend(request.url)) return;
          setClient(request);
          passOn.upgrade(request, socket, head);
        });
      },
    },
  };
}

function setClient(request: IncomingMessage) {
  request.headers['x-forwarded-for'] = request.socket.remoteAddress;
}
