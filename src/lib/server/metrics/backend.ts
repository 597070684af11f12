import { Counter, Gauge } from 'prom-client';
import type { BackendAddress } from '../backend-process.ts';
import { registry } from './registry.ts';

/**
 * Timeout of the request for the backend's metrics, in milliseconds. Longer than the database may take to answer the
 * backend.
 */
const LONGEST_MS = 7_000;
/** The backend is asked at most this often, in milliseconds. */
const KEPT_MS = 10_000;

type Told = { gauges: Record<string, number>; counters: Record<string, number> };

/** Help text of each metric. Metrics without one are not published. */
const GAUGES = {
  database_up: 'Whether the database answers',
  database_seconds: 'What the database took to answer one question, its wait for a turn among it',
  alerts_waiting: 'Alerts that not everybody has been told of',
  deliveries_waiting: 'Alerts to one person that wait to be sent, up to 10000',
  deliveries_sending: 'Alerts to one person that are being sent',
  photos_arriving: 'Photos that are on their way, or wait to be looked at',
  tips_open: 'Tips that nobody has dealt with, up to 10000',
  tips_held: 'Tips that are held back, up to 10000',
  data_free_bytes: 'Room on the disk of the data folder',
  backups_scheduled: 'Whether backups are made by themselves',
  last_backup_timestamp_seconds: 'When the newest backup was finished',
  start_timestamp_seconds: 'When the backend process began: it was started again where this changes',
  resident_bytes: 'Memory of the backend process',
  heap_bytes: 'Of it, what JavaScript holds',
  realtime_sockets: 'Sockets that are open',
} as const;

const COUNTERS = {
  jobs_failed: 'Runs of scheduled jobs that failed',
  mails_sent: 'Mails that the mail server has taken',
  mails_failed: 'Mails that it has not',
  functions_started: 'Processes of functions that were started',
  functions_failed: 'Of these, those that ended otherwise than they should',
  backups_failed: 'Scheduled backups that were not written',
  realtime_slow_sockets_dropped: 'Sockets that took nothing of what they were sent',
  database_waits_given_up: 'Requests that waited too long for a database session',
  database_restarts: 'Restarts of PGlite, because a statement took too long or it failed',
  log_errors: 'Lines of its log that are errors',
  log_warnings: 'Lines of its log that are warnings',
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
 * @returns updates the metrics if the last update is older than `KEPT_MS`
 */
export function openBackendNumbers({ url, secretKey }: BackendAddress): () => Promise<void> {
  let asked = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  async function ask(): Promise<void> {
    const told = await fetchNumbers(`${url}/numbers`, secretKey).catch(() => undefined);
    up.set(told ? 1 : 0);
    for (const [name, one] of gauges) {
      const value = told?.gauges[name];
      if (value === undefined) one.remove();
      else one.set(value);
    }
    for (const [name, one] of counters) {
      one.reset();
      const value = told?.counters[name];
      if (value === undefined) one.remove();
      else one.inc(value);
    }
  }

  return () => {
    if (!asking || performance.now() - asked > KEPT_MS) [asking, asked] = [ask(), performance.now()];
    return asking;
  };
}

async function fetchNumbers(url: string, secretKey: string): Promise<Told> {
  const answer = await fetch(url, {
    headers: { apikey: secretKey },
    signal: AbortSignal.timeout(LONGEST_MS),
  });
  if (!answer.ok) throw new Error(`The backend's numbers: ${answer.status}`);
  return (await answer.json()) as Told;
}
