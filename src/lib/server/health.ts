import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addressRange } from '../http/request.ts';
import type { ConnectedBackend } from './backend.ts';
import type { BackendEndpoint } from './backend-process.ts';
import type { ProxyCheck } from './forwarding.ts';
import { createBackendMetrics, createMetrics, setMetricSources } from './metrics/metrics.ts';
import type { Invalidation } from './page-cache/invalidation.ts';
import type { PageCache } from './page-cache/middleware.ts';
import type { ServerSettings } from './settings.ts';

/** Why the site should not get traffic. */
type Missing = 'starting' | 'backend' | 'stopping';

type Health = ReturnType<typeof createHealth>;

/** The backend is checked at most this often, in milliseconds. */
const CHECK_INTERVAL_MS = 2_000;

export function createHealth(now: () => number = () => performance.now()) {
  let state: 'starting' | 'running' | 'stopping' = 'starting';
  let checkBackend = async () => true;
  let isBackendUp = true;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  const missing = (): Missing | undefined =>
    state === 'running' ? (isBackendUp ? undefined : 'backend') : state;

  function refresh(): Promise<void> {
    if (now() - checkedAt < CHECK_INTERVAL_MS) return checking ?? Promise.resolve();
    checkedAt = now();
    checking = checkBackend().then(
      (isUp) => {
        isBackendUp = isUp;
        checking = undefined;
      },
      () => {
        isBackendUp = false;
        checking = undefined;
      },
    );
    return checking;
  }

  return {
    /** The pages are ready; `check` asks whether the backend answers. */
    start(check: () => Promise<boolean>): void {
      checkBackend = check;
      if (state === 'starting') state = 'running';
    },
    /** The site is shutting down. */
    stop(): void {
      state = 'stopping';
    },
    /** The last known state, at once. */
    known(): Missing | undefined {
      // Updates the state for the next request: a liveness check must not wait for the backend.
      if (state === 'running') void refresh();
      return missing();
    },
    /** The current state. It checks the backend if the last check is older than `CHECK_INTERVAL_MS`. */
    async check(): Promise<Missing | undefined> {
      if (state === 'running') await refresh();
      return missing();
    },
  };
}

/** Timeout of the check, in milliseconds. Reading a row takes a few; the next health check tries again. */
const TIMEOUT_MS = 2_000;

/** Checks whether a backend, embedded or hosted, answers from its database. */
const backendCheck =
  ({ url, publishableKey }: BackendEndpoint) =>
  async (): Promise<boolean> => {
    const { ok, body } = await fetch(`${url}/rest/v1/site?select=name&limit=1`, {
      headers: { apikey: publishableKey },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await body?.cancel();
    return ok;
  };

type HealthRoutesOptions = {
  health: Health;
  /** Number of trusted proxies in front of the server. */
  proxies: number;
  /** Token for reading the metrics from another machine. Undefined: only this machine may read them. */
  metricsToken: string | undefined;
  /** A wrong setting that does not affect readers; undefined when there is none. */
  warning(): string | undefined;
  /** The metrics in Prometheus' text format, and its content type. */
  metrics(): Promise<{ type: string; text: string }>;
};

/**
 * Answers `/healthz` (is the process alive?), `/healthz/ready` (should it get traffic?) and `/metrics`. It works
 * without pages or backend, also during the start, and sees the request before its headers are rewritten.
 * @returns whether the request was for one of them; false for `/metrics` without permission, so that it looks like an
 * unknown address
 */
export function createHealthRoutes({ health, proxies, metricsToken, warning, metrics }: HealthRoutesOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const [path] = (request.url ?? '').split('?', 1);
    if (path === '/healthz') {
      sendJson(response, 200, { alive: true, ready: health.known() === undefined });
    } else if (path === '/healthz/ready') {
      void health.check().then((missing) => {
        // A warning keeps status 200: with any other, a load balancer would send readers away.
        const currentWarning = warning();
        sendJson(response, missing ? 503 : 200, {
          ready: !missing,
          ...(missing && { missing }),
          ...(currentWarning && { warning: currentWarning }),
        });
      });
    } else if (path === '/metrics' && mayReadMetrics(request, { proxies, token: metricsToken })) {
      void metrics().then(
        ({ type, text }) => send(response, 200, type, text),
        () => sendJson(response, 500, { code: 'internal' }),
      );
    } else {
      return false;
    }
    return true;
  };
}

const sendJson = (response: ServerResponse, status: number, body: object) =>
  send(response, status, 'application/json', `${JSON.stringify(body)}\n`);

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

type Parts = { backend: ConnectedBackend; pageCache: PageCache; invalidation: Invalidation };

/** Health and metrics of a site, from the start of the process to its end. */
export function createMonitoring({ proxies, metricsToken }: ServerSettings, proxyCheck: ProxyCheck) {
  const health = createHealth();
  let metrics = createMetrics(undefined);
  return {
    handle: createHealthRoutes({
      health,
      proxies,
      metricsToken,
      warning: () => proxyCheck.warning(),
      metrics: () => metrics(),
    }),
    /** Called when site and backend are running. */
    start({ backend, pageCache, invalidation }: Parts): void {
      setMetricSources({
        caches: pageCache.sizes,
        invalidation: invalidation.state,
        proxies: () => proxyCheck.warning(),
      });
      // A hosted project has its own metrics.
      if (backend.proxy) metrics = createMetrics(createBackendMetrics(backend));
      health.start(backendCheck(backend));
    },
    stop: health.stop,
  };
}

/** Headers that a proxy adds: the client is then on another machine. */
const PROXY_HEADERS =
  /^(?:forwarded|via|origin|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-.*|fly-client-ip|x-cluster-client-ip)$/;

/**
 * Whether a client may read the metrics: with the token, or without it from a program on this machine, if no proxy is
 * in front (behind one every visitor comes from this machine).
 */
export function mayReadMetrics(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  { proxies, token }: { proxies: number; token: string | undefined },
): boolean {
  const { headers, socket } = request;
  const givenToken = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (givenToken !== undefined) return token !== undefined && isEqual(givenToken, token);
  return (
    proxies === 0 &&
    isLoopback(socket.remoteAddress ?? '') &&
    // Protects against DNS rebinding: a page under a foreign name that resolves to this machine could read the metrics.
    isLoopback(hostOf(headers.host ?? '')) &&
    headers['sec-fetch-site'] === undefined &&
    !Object.keys(headers).some((name) => PROXY_HEADERS.test(name))
  );
}

const isLoopback = (host: string) => host === 'localhost' || addressRange(host) === 'loopback';

/** Removes the port. */
const hostOf = (host: string) =>
  /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(host)?.slice(1).join('') ?? '';

/** Compares digests, so that the time reveals neither length nor prefix of the token. */
function isEqual(givenToken: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(givenToken), digest(token));
}
