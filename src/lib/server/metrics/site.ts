import { Gauge } from 'prom-client';
import type { CacheStats } from '../page-cache/cached-response.ts';
import { registry } from './registry.ts';

/** Sources of the site's metrics. */
export type MetricSources = {
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
