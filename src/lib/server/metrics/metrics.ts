import { monitorEventLoopDelay } from 'node:perf_hooks';
import { logLineCounts } from 'embedded-supabase';
import { Counter, Gauge } from 'prom-client';
import { serverBridge } from '../../data/server-bridge.ts';
import type { BackendEndpoint } from '../backend-process.ts';
import type { CacheStats } from '../page-cache/cached-response.ts';
import { registry } from './requests.ts';

const registers = [registry];

/** Sampling interval of the event loop delay, in ms. A shorter one would wake an idle machine. */
const RESOLUTION_MS = 50;

let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

/** Measured from the first scrape on, so that unused metrics cost nothing. */
new Gauge({
  name: 'stoppress_site_event_loop_lag_seconds',
  help: 'Event loop delay of the site process since the last scrape, by quantile',
  labelNames: ['quantile'],
  registers,
  collect() {
    if (!delay) {
      delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      delay.enable();
    }
    for (const quantile of [50, 99, 100]) {
      const late = delay.count === 0 ? 0 : delay.percentile(quantile) / 1e9 - RESOLUTION_MS / 1000;
      this.set({ quantile: String(quantile / 100) }, Math.max(0, late));
    }
    delay.reset();
  },
});

const gauge = (name: string, help: string, read: () => number) =>
  new Gauge({
    name: `stoppress_site_${name}`,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });

gauge('resident_bytes', 'Memory of the site process', () => process.memoryUsage.rss());
gauge('heap_bytes', 'Memory of JavaScript objects in the site process', () => process.memoryUsage().heapUsed);
gauge('start_timestamp_seconds', 'When the site process started', () =>
  Math.round(performance.timeOrigin / 1000),
);
gauge('reader_sockets', 'Open sockets of readers and desks', () => serverBridge.openSockets);

const last = { cpu: 0, error: 0, warn: 0 };

new Counter({
  name: 'stoppress_site_cpu_seconds_total',
  help: 'CPU time of the site process',
  registers,
  collect() {
    const { user, system } = process.cpuUsage();
    this.inc((user + system - last.cpu) / 1e6);
    last.cpu = user + system;
  },
});

new Counter({
  name: 'stoppress_site_log_lines_total',
  help: 'Errors and warnings in the log of the site process, by level',
  labelNames: ['level'],
  registers,
  collect() {
    for (const level of ['error', 'warn'] as const) {
      this.inc({ level }, logLineCounts[level] - last[level]);
      last[level] = logLineCounts[level];
    }
  },
});

/** Sources of the site's metrics. */
type MetricSources = {
  /** Statistics of each page cache, by name. */
  caches(): Record<string, CacheStats>;
  /** How the setting of proxies is wrong; undefined when it is right. */
  proxies(): string | undefined;
  /** Whether the invalidation channel is joined, and the seconds since the last comparison. */
  invalidation(): { connected: boolean; compared: number };
};

let sources: MetricSources | undefined;

/** Sets the sources. The last site that started in this process counts. */
export function setMetricSources(from: MetricSources): void {
  sources = from;
}

const ofCaches = (name: keyof CacheStats, help: string) =>
  new Gauge({
    name: `stoppress_cache_${name}`,
    help,
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, sizes] of Object.entries(sources?.caches() ?? {})) this.set({ cache }, sizes[name]);
    },
  });

ofCaches('copies', 'Responses in the page cache');
ofCaches('bytes', 'Memory of the page cache');
ofCaches('evicted', 'Responses evicted for lack of memory since the start');
ofCaches('rendering', 'Renderings in progress');
ofCaches('waiting', 'Renderings that wait in the queue');
ofCaches('refused', 'Renderings rejected by the queue since the start');

new Gauge({
  name: 'stoppress_proxy_setting_wrong',
  help: 'Whether STOPPRESS_PROXIES differs from the proxies in front of the site',
  registers,
  collect() {
    if (sources) this.set(sources.proxies() ? 1 : 0);
  },
});

const invalidationGauge = (
  name: string,
  help: string,
  read: (invalidation: ReturnType<MetricSources['invalidation']>) => number,
) =>
  new Gauge({
    name: `stoppress_watch_${name}`,
    help,
    registers,
    collect() {
      if (sources) this.set(read(sources.invalidation()));
    },
  });

invalidationGauge('connected', 'Whether the site is connected to the channel of changes', ({ connected }) =>
  Number(connected),
);
invalidationGauge(
  'compared_seconds',
  'Seconds since the page cache was compared with the database (every 30 s)',
  ({ compared }) => compared,
);

/**
 * Returns a function that renders the metrics of site and backend in Prometheus' text format.
 * @param updateBackend updates the backend's metrics; absent for a hosted project
 */
export const createMetrics = (updateBackend: (() => Promise<void>) | undefined) => async () => {
  await updateBackend?.();
  return { type: registry.contentType, text: await registry.metrics() };
};

/**
 * Timeout of the request for the backend's metrics, in milliseconds. Longer than the database may take to answer the
 * backend.
 */
const TIMEOUT_MS = 7_000;
/** Minimum interval between two requests to the backend, in milliseconds. */
const UPDATE_INTERVAL_MS = 10_000;

type BackendMetrics = { gauges: Record<string, number>; counters: Record<string, number> };

/** Help text of each metric. Metrics without one are not published. */
const GAUGES = {
  database_up: 'Whether the database answers',
  database_seconds: 'Duration of a query, including its wait for a database session',
  alerts_waiting: 'Alerts that have not reached all their recipients',
  deliveries_waiting: 'Deliveries that wait to be sent, up to 10000',
  deliveries_sending: 'Deliveries that are being sent',
  photos_uploading: 'Photos that are being uploaded or wait for processing',
  tips_open: 'Open tips, up to 10000',
  tips_held: 'Held tips, up to 10000',
  data_free_bytes: 'Free space on the disk of the data folder',
  backups_scheduled: 'Whether scheduled backups are on',
  last_backup_timestamp_seconds: 'When the newest backup was completed',
  start_timestamp_seconds: 'When the backend process started',
  resident_bytes: 'Memory of the backend process',
  heap_bytes: 'Memory of JavaScript objects in the backend process',
  realtime_sockets: 'Open Realtime sockets',
} as const;

const COUNTERS = {
  jobs_failed: 'Failed runs of scheduled jobs',
  mails_sent: 'Mails that the mail server accepted',
  mails_failed: 'Mails that the mail server did not accept',
  functions_started: 'Started processes of edge functions',
  functions_failed: 'Processes of edge functions that failed',
  backups_failed: 'Scheduled backups that failed',
  realtime_slow_sockets_dropped: 'Sockets that were closed because their client did not read',
  database_waits_given_up: 'Requests that timed out waiting for a database session',
  database_restarts: 'Restarts of PGlite after a failure or a statement timeout',
  log_errors: 'Errors in the log of the backend',
  log_warnings: 'Warnings in the log of the backend',
} as const;

const backendUp = new Gauge({ name: 'stoppress_backend_up', help: 'Whether the backend answers', registers });
const backendGauges = new Map(
  Object.entries(GAUGES).map(([name, help]) => [
    name,
    new Gauge({ name: `stoppress_backend_${name}`, help, registers }),
  ]),
);
const backendCounters = new Map(
  Object.entries(COUNTERS).map(([name, help]) => [
    name,
    new Counter({ name: `stoppress_backend_${name}_total`, help, registers }),
  ]),
);

/**
 * Reads the embedded backend's metrics before the site's are rendered. Missing values are removed instead of repeating
 * old ones.
 * @returns updates the metrics if the last update is older than `UPDATE_INTERVAL_MS`
 */
export function createBackendMetrics({ url, secretKey }: BackendEndpoint): () => Promise<void> {
  let updatedAt = Number.NEGATIVE_INFINITY;
  let updating: Promise<void> | undefined;

  async function update(): Promise<void> {
    const metrics = await fetchMetrics(`${url}/numbers`, secretKey).catch(() => undefined);
    backendUp.set(metrics ? 1 : 0);
    for (const [name, one] of backendGauges) {
      const value = metrics?.gauges[name];
      if (value === undefined) one.remove();
      else one.set(value);
    }
    for (const [name, one] of backendCounters) {
      one.reset();
      const value = metrics?.counters[name];
      if (value === undefined) one.remove();
      else one.inc(value);
    }
  }

  return () => {
    if (!updating || performance.now() - updatedAt > UPDATE_INTERVAL_MS)
      [updating, updatedAt] = [update(), performance.now()];
    return updating;
  };
}

async function fetchMetrics(url: string, secretKey: string): Promise<BackendMetrics> {
  const answer = await fetch(url, {
    headers: { apikey: secretKey },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`The backend's numbers: ${answer.status}`);
  return (await answer.json()) as BackendMetrics;
}
