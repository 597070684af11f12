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
  /** How many proxies of the owner stand in front. */
  proxies: number;
  /** What lets somebody elsewhere read the numbers; unset, nobody. */
  metricsToken: string | undefined;
  /** A wrong setting that does not keep visitors away; undefined when there is none. */
  warning(): string | undefined;
  /** The numbers as Prometheus reads them, and what they are called. */
  numbers(): Promise<{ type: string; text: string }>;
};

/**
 * Answers whoever runs the site: `/healthz` (is it alive?), `/healthz/ready` (may visitors be sent to it?), `/metrics`.
 * Without pages or backend, also while it starts. Before anything of the request is rewritten.
 * @returns whether it was for them; who may not read the numbers finds a page that is not there, as for any made up address
 */
export function openOwnersDoor({ health, proxies, metricsToken, warning, numbers }: Door) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const [path] = (request.url ?? '').split('?', 1);
    if (path === '/healthz') {
      say(response, 200, { alive: true, ready: health.known() === undefined });
    } else if (path === '/healthz/ready') {
      void health.ask().then((missing) => {
        // Readers are served in spite of a warning: an answer other than 200 would send them away.
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

/** What a site answers whoever runs it, from its first moment to its last. */
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
    /** All parts are there. */
    begin({ backend, front, watch }: Parts): void {
      measure({ caches: front.sizes, watch: watch.state, proxies: () => proxyCheck.warning() });
      // A project elsewhere has its own.
      if (backend.passOn) numbers = numbersOf(openBackendNumbers(backend));
      health.begin(asksBackend(backend));
    },
    leave: health.leave,
  };
}
