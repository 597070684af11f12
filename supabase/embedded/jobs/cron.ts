import { setTimeout as wait } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import { Unavailable } from '../engine/unavailable.ts';
import { log } from '../log.ts';
import { counts } from '../numbers/counts.ts';
import { type Job, runJob } from './run.ts';
import { keepTime } from './timing.ts';

/** How long runs under way may take when the backend stops. */
const LAST_RUNS_MS = 5_000;

type Kept = { job: Job; stop(): void; lastSaid: string | null };

export type Clockwork = {
  /** To be called when the jobs are not what they were. Those that are the same keep their time. */
  reload(): Promise<void>;
  /** No more runs begin; resolves when those under way have ended, or take too long. */
  stop(): Promise<void>;
};

/** Runs the jobs of `cron.job`, each at its times and one run of it at a time. */
export function openClockwork(engine: Engine): Clockwork {
  const kept = new Map<string, Kept>();
  const running = new Set<Promise<void>>();
  let loaded = false;
  let stopped = false;

  const run = (one: Kept) => {
    const ran = tryRun(engine, one).finally(() => running.delete(ran));
    running.add(ran);
    return ran;
  };

  const keep = (job: Job) => {
    const one: Kept = { job, stop() {}, lastSaid: null };
    try {
      const timing = keepTime(job.schedule, !loaded, () => run(one));
      one.stop = () => timing.stop();
    } catch (error) {
      log.error(`The job ${nameOf(job)} never runs: ${(error as Error).message}`);
    }
    kept.set(job.id, one);
  };

  return {
    async reload() {
      const jobs = await readJobs(engine);
      if (stopped) return;
      for (const [id, { job, stop }] of kept) {
        if (jobs.some((one) => isSame(one, job))) continue;
        stop();
        kept.delete(id);
      }
      for (const job of jobs) if (!kept.has(job.id)) keep(job);
      loaded = true;
    },
    async stop() {
      stopped = true;
      for (const { stop } of kept.values()) stop();
      await Promise.race([Promise.all(running), wait(LAST_RUNS_MS, undefined, { ref: false })]);
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

/** Its failure is told to the log, once for each way in which it fails: a job may run every second. */
async function tryRun(engine: Engine, one: Kept): Promise<void> {
  try {
    const { message } = await runJob(engine, one.job);
    if (message) counts.jobs_failed += 1;
    if (message && message !== one.lastSaid) {
      log.error(`The job ${nameOf(one.job)} failed. It runs again at its next time. ${message}`);
    }
    one.lastSaid = message;
  } catch (error) {
    // The database is away, which others say: its next time comes.
    if (!(error instanceof Unavailable))
      log.error(`The job ${nameOf(one.job)} was not written down.`, { error });
  }
}

const isSame = (a: Job, b: Job) => a.id === b.id && a.schedule === b.schedule && a.command === b.command;

const nameOf = ({ id, name }: Job) => name ?? id;
