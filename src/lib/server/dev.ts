import type { IncomingMessage } from 'node:http';
import { type AstroIntegration, dev } from 'astro';
import { createAlertClient } from './alert-client.ts';
import { announceSetup, type ConnectedBackend, openBackend, setPageEnvironment } from './backend.ts';
import { startBasemap } from './basemap/basemap.server.ts';
import { startDeliveryScheduler } from './delivery-scheduler.ts';
import { createFilingNoticeClient } from './filing-notices.ts';
import { startImageProcessing } from './image-processing/image-processor.server.ts';
import { startOgImageRenderer } from './og-image/renderer.server.ts';
import { failure, loadEnvironment, onStop } from './program.ts';
import { isForBackend } from './proxy.ts';
import { readServerSettings } from './settings.ts';
import { startSiteImages } from './site-image/site-image.server.ts';
import { createTableReadingClient, startTableReader } from './table-reader.ts';

/** Proxies the backend's paths on Astro's development server. */
function devBackend({ proxy }: ConnectedBackend): AstroIntegration {
  return {
    name: 'stoppress-dev-backend',
    hooks: {
      'astro:server:setup': ({ server }) => {
        if (!proxy) return;
        server.middlewares.use((request, response, next) => {
          if (!isForBackend(request.url)) return next();
          setClient(request);
          proxy.call(request, response);
        });
        server.httpServer?.on('upgrade', (request, socket, head) => {
          if (!isForBackend(request.url)) return;
          setClient(request);
          proxy.upgrade(request, socket, head);
        });
      },
    },
  };
}

function setClient(request: IncomingMessage) {
  request.headers['x-forwarded-for'] = request.socket.remoteAddress;
}

/** The development server ignores these in `.env`, so that it never uses the real newsroom's data or mail server. */
const IGNORED_VARIABLES = ['STOPPRESS_DATA', 'DATABASE_URL', 'SMTP_URL', 'MAIL_FROM'];

try {
  loadEnvironment(IGNORED_VARIABLES);
  const settings = readServerSettings(process.env, '.stoppress/dev');
  const siteUrl = settings.siteUrl ?? `http://${settings.host}:${settings.port}`;
  const backend = await openBackend(settings.backend, { siteUrl, mailbox: true });
  setPageEnvironment(process.env, backend, { siteUrl, readerSockets: settings.readerSockets });
  const server = await dev({
    server: { host: settings.host, port: settings.port },
    vite: { server: { strictPort: true } },
    integrations: [devBackend(backend)],
  });
  const stopImageProcessor = startImageProcessing();
  const stopRenderer = startOgImageRenderer();
  const stopSiteImages = startSiteImages();
  const stopBasemap = await startBasemap(settings.basemap);
  const stopAlerts = startDeliveryScheduler(createAlertClient(backend));
  const stopNotices = startDeliveryScheduler(createFilingNoticeClient(backend));
  const stopTables = startTableReader(createTableReadingClient(backend));
  onStop(async () => {
    stopImageProcessor();
    stopRenderer();
    stopSiteImages();
    stopBasemap();
    stopTables();
    await Promise.all([stopAlerts(), stopNotices(), server.stop()]);
    await backend.stop();
  });
  await announceSetup(siteUrl);
  if (backend.mails) console.log(backend.mails);
  process.send?.({ type: 'ready', url: siteUrl });
} catch (error) {
  console.error(failure(error));
  process.exit(1);
}
