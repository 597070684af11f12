import { monitorEventLoopDelay } from 'node:perf_hooks';
import { lineCounts } from 'embedded-supabase';
import { Counter, Gauge } from 'prom-client';
import { openSockets } from '../../publishing/follow-attributes.server.ts';
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
gauge('reader_sockets', 'Open sockets of readers and desks', () => openSockets.count);

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
      this.inc({ level }, lineCounts[level] - last[level]);
      last[level] = lineCounts[level];
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
    registers: [registry],
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
  registers: [registry],
  collect() {
    if (sources) this.set(sources.proxies() ? 1 : 0);
  },
});

const watching = (
  name: string,
  help: string,
  read: (invalidation: ReturnType<MetricSources['invalidation']>) => number,
) =>
  new Gauge({
    name: `stoppress_watch_${name}`,
    help,
    registers: [registry],
    collect() {
      if (sources) this.set(read(sources.invalidation()));
    },
  });

watching('connected', 'Whether the site is connected to the channel of changes', ({ connected }) =>
  Number(connected),
);
watching(
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
