import { setTimeout as wait } from 'node:timers/promises';
import { Cron, type CronOptions } from 'croner';
import type { Engine } from '../engine/engine.ts';
import { isDatabaseError, UnavailableError } from '../engine/errors.ts';
import { runWithoutTimeLimit } from '../engine/work.ts';
import { backendLog } from '../log/log.ts';
import { counters } from '../metrics/counters.ts';
import { runHourly } from '../timers.ts';
import { openHttpRequestQueue } from './http-requests.ts';

type Job = { id: string; name: string | null; schedule: string; command: string };

type JobResult = { status: 'succeeded' | 'failed'; message: string | null };

/** Runs a job as the owner of the database and stores the result. @throws UnavailableError */
async function runJob(engine: Engine, job: Job): Promise<JobResult> {
  const startedAt = new Date();
  const result = await executeJob(engine, job);
  await engine.transaction((session) =>
    session.query(
      `insert into cron.job_run_details (jobid, job_pid, command, status, return_message, start_time, end_time)
       values ($1::bigint, $2::integer, $3, $4, $5, $6::timestamptz, clock_timestamp())`,
      [job.id, process.pid, job.command, result.status, result.message, startedAt.toISOString()],
    ),
  );
  return result;
}

async function executeJob(engine: Engine, job: Job): Promise<JobResult> {
  try {
    await runWithoutTimeLimit(`job ${job.name ?? job.id}`, () => engine.execOutsideTransaction(job.command));
    return { status: 'succeeded', message: null };
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return {
      status: 'failed',
      message: isDatabaseError(error) ? `ERROR: ${message} (${error.code})` : message,
    };
  }
}

const EVERY_SECONDS = /^(\d+) seconds?$/;

/** Schedule of pg_cron for one run when the backend starts. */
const AT_START = '@reboot';

/**
 * Runs a function at the times of a pg_cron schedule. Runs do not overlap, and missed ones are not repeated.
 * @param isStarting whether the backend has just started
 * @throws TypeError or RangeError of croner for an unknown schedule
 */
function scheduleRuns(schedule: string, isStarting: boolean, run: () => Promise<void>): { stop(): void } {
  const expression = schedule.trim().toLowerCase().replace(/\s+/g, ' ');
  if (expression === AT_START) {
    if (isStarting) void run();
    return { stop() {} };
  }
  const options: CronOptions = { timezone: 'UTC', protect: true };
  const seconds = EVERY_SECONDS.exec(expression)?.[1];
  return seconds
    ? new Cron('* * * * * *', { ...options, interval: Number(seconds) }, run)
    : // `$` is the last day of a month in pg_cron, `L` in croner.
      new Cron(
        expression.replace('$', 'L'),
        { ...options, ...(!expression.startsWith('@') && { mode: '5-part' }) },
        run,
      );
}

/** Milliseconds that running jobs may take when the backend stops. */
const STOP_TIMEOUT_MS = 5_000;

type ScheduledJob = { job: Job; stop(): void; lastSaid: string | null };

/** Runs the jobs of `cron.job` at their times. Runs of one job do not overlap. */
function openJobClock(engine: Engine) {
  const scheduledJobs = new Map<string, ScheduledJob>();
  const running = new Set<Promise<void>>();
  let isLoaded = false;
  let isStopped = false;

  const run = (scheduledJob: ScheduledJob) => {
    const jobRun = tryRun(engine, scheduledJob).finally(() => running.delete(jobRun));
    running.add(jobRun);
    return jobRun;
  };

  const scheduleJob = (job: Job) => {
    const scheduledJob: ScheduledJob = { job, stop() {}, lastSaid: null };
    try {
      const timer = scheduleRuns(job.schedule, !isLoaded, () => run(scheduledJob));
      scheduledJob.stop = () => timer.stop();
    } catch (error) {
      backendLog.error(`The job ${nameOf(job)} never runs: ${(error as Error).message}`);
    }
    scheduledJobs.set(job.id, scheduledJob);
  };

  return {
    /** Reads the jobs again. Call it when jobs have changed. Unchanged jobs keep their timers. */
    async reload(): Promise<void> {
      const jobs = await readJobs(engine);
      if (isStopped) return;
      for (const [id, { job, stop }] of scheduledJobs) {
        if (jobs.some((current) => isSame(current, job))) continue;
        stop();
        scheduledJobs.delete(id);
      }
      for (const job of jobs) if (!scheduledJobs.has(job.id)) scheduleJob(job);
      isLoaded = true;
    },
    /** Starts no more runs. Resolves when the running jobs have ended, or after `STOP_TIMEOUT_MS`. */
    async stop(): Promise<void> {
      isStopped = true;
      for (const { stop } of scheduledJobs.values()) stop();
      await Promise.race([Promise.all(running), wait(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}

async function readJobs(engine: Engine): Promise<Job[]> {
  const { rows } = await engine.transaction((session) =>
    session.query<Job>(
      'select jobid::text as id, jobname as name, schedule, command from cron.job where active order by jobid',
    ),
  );
  return rows;
}

/** Runs a job. Logs a repeated failure only once, because a job may run every second. */
async function tryRun(engine: Engine, scheduledJob: ScheduledJob): Promise<void> {
  try {
    const { message } = await runJob(engine, scheduledJob.job);
    if (message) counters.jobs_failed += 1;
    if (message && message !== scheduledJob.lastSaid) {
      backendLog.error(
        `The job ${nameOf(scheduledJob.job)} failed. It runs again at its next time. ${message}`,
      );
    }
    scheduledJob.lastSaid = message;
  } catch (error) {
    // An unavailable database is logged elsewhere. The job runs again at its next time.
    if (!(error instanceof UnavailableError))
      backendLog.error(`The job ${nameOf(scheduledJob.job)} was not recorded.`, { error });
  }
}

const isSame = (a: Job, b: Job) => a.id === b.id && a.schedule === b.schedule && a.command === b.command;

const nameOf = ({ id, name }: Job) => name ?? id;

/** How long responses are stored, as by default in pg_net. */
const RESPONSE_RETENTION = '6 hours';

/** Number of stored runs per job. pg_cron stores all runs. */
const MAX_STORED_RUNS = 200;

/** Deletes old results of jobs and requests, and frees their space. */
export async function deleteOldRuns(engine: Engine): Promise<void> {
  await engine.exec(
    `delete from net._http_response where created < now() - interval '${RESPONSE_RETENTION}';
     delete from cron.job_run_details where runid in (
       select runid from (
         select runid, row_number() over (partition by jobid order by runid desc) as n from cron.job_run_details) runs
       where n > ${MAX_STORED_RUNS})`,
  );
  for (const table of ['net._http_response', 'net.http_request_queue', 'cron.job_run_details']) {
    await engine.reclaim(table);
  }
}

const limitRunHistory = (engine: Engine) =>
  runHourly(
    37,
    () => runWithoutTimeLimit('deleting old runs', () => deleteOldRuns(engine)),
    'Old runs of jobs were not deleted.',
  );

/**
 * Runs the jobs of `cron.job` and the requests of `net.http_request_queue`. The database notifies it of changes.
 */
export async function openJobs(engine: Engine): Promise<{ stop(): Promise<void> }> {
  const jobClock = openJobClock(engine);
  const requests = openHttpRequestQueue(engine);
  let lastReload = Promise.resolve();
  const reload = () => {
    lastReload = lastReload.then(() =>
      jobClock.reload().catch((error: unknown) => {
        // Jobs are read again after each reconnect to the database.
        if (!(error instanceof UnavailableError))
          backendLog.error('The jobs of the database were not read.', { error });
      }),
    );
    return lastReload;
  };
  const stopListening = await engine.listen(
    'jobs',
    (payload) => void (payload === 'cron' ? reload() : requests.processQueue()),
    () => {
      void reload();
      void requests.processQueue();
    },
  );
  const historyCleanup = limitRunHistory(engine);
  return {
    async stop() {
      await stopListening();
      await lastReload;
      await jobClock.stop();
      await Promise.all([requests.stop(), historyCleanup.stop()]);
    },
  };
}
