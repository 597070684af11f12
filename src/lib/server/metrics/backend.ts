import { Counter, Gauge } from 'prom-client';
import type { BackendEndpoint } from '../backend-process.ts';
import { registry } from './requests.ts';

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

const registers = [registry];
const up = new Gauge({ name: 'stoppress_backend_up', help: 'Whether the backend answers', registers });
const gauges = new Map(
  Object.entries(GAUGES).map(([name, help]) => [
    name,
    new Gauge({ name: `stoppress_backend_${name}`, help, registers }),
  ]),
);
const counters = new Map(
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
    up.set(metrics ? 1 : 0);
    for (const [name, one] of gauges) {
      const value = metrics?.gauges[name];
      if (value === undefined) one.remove();
      else one.set(value);
    }
    for (const [name, one] of counters) {
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
