import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Backend } from './backend.ts';
import { asksBackend, type Health, openHealth } from './health.ts';
import { mayReadNumbers } from './metrics/access.ts';
import { openBackendNumbers } from './metrics/backend.ts';
import { measure } from './metrics/site.ts';
import { numbersOf } from './metrics/text.ts';
import type { Invalidation } from './page-cache/invalidation.ts';
import type { PageCache } from './page-cache/middleware.ts';
import type { ProxyCheck } from './proxy-check.ts';
import type { Settings } from './settings.ts';

type Door = {
  health: Health;
  /** Number of trusted proxies in front of the server. */
  proxies: number;
  /** Token for reading the metrics from another machine. Undefined: only this machine may read them. */
  metricsToken: string | undefined;
  /** A wrong setting that does not affect readers; undefined when there is none. */
  warning(): string | undefined;
  /** The metrics in Prometheus' text format, and its content type. */
  numbers(): Promise<{ type: string; text: string }>;
};

/**
 * Answers `/healthz` (is the process alive?), `/healthz/ready` (should it get traffic?) and `/metrics`. It works
 * without pages or backend, also during the start, and sees the request before its headers are rewritten.
 * @returns whether the request was for one of them; false for `/metrics` without permission, so that it looks like an
 * unknown address
 */
export function openOwnersDoor({ health, proxies, metricsToken, warning, numbers }: Door) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const [path] = (request.url ?? '').split('?', 1);
    if (path === '/healthz') {
      say(response, 200, { alive: true, ready: health.known() === undefined });
    } else if (path === '/healthz/ready') {
      void health.ask().then((missing) => {
        // A warning keeps status 200: with any other, a load balancer would send readers away.
        const warned = warning();
        say(response, missing ? 503 : 200, {
          ready: !missing,
          ...(missing && { missing }),
          ...(warned && { warning: warned }),
        });
      });
    } else if (path === '/metrics' && mayReadNumbers(request, { proxies, token: metricsToken })) {
      void numbers().then(
        ({ type, text }) => send(response, 200, type, text),
        () => say(response, 500, { code: 'internal' }),
      );
    } else {
      return false;
    }
    return true;
  };
}

const say = (response: ServerResponse, status: number, told: object) =>
  send(response, status, 'application/json', `${JSON.stringify(told)}\n`);

function send(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

type Parts = { backend: Backend; front: PageCache; watch: Invalidation };

/** Health and metrics of a site, from the start of the process to its end. */
export function openOwnersDesk({ proxies, metricsToken }: Settings, proxyCheck: ProxyCheck) {
  const health = openHealth();
  let numbers = numbersOf(undefined);
  return {
    answer: openOwnersDoor({
      health,
      proxies,
      metricsToken,
      warning: () => proxyCheck.warning(),
      numbers: () => numbers(),
    }),
    /** Called when site and backend are running. */
    begin({ backend, front, watch }: Parts): void {
      measure({ caches: front.sizes, watch: watch.state, proxies: () => proxyCheck.warning() });
      // A hosted project has its own metrics.
      if (backend.passOn) numbers = numbersOf(openBackendNumbers(backend));
      health.begin(asksBackend(backend));
    },
    leave: health.leave,
  };
}
