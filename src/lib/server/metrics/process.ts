import { monitorEventLoopDelay } from 'node:perf_hooks';
import { written } from 'embedded-supabase';
import { Counter, Gauge } from 'prom-client';
import { openSockets } from '../../publishing/follow-attributes.server.ts';
import { registry } from './registry.ts';

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
      this.inc({ level }, written[level] - last[level]);
      last[level] = written[level];
    }
  },
});
