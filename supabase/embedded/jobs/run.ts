import type { Engine } from '../engine/engine.ts';
import { isDatabaseError } from '../engine/errors.ts';
import { Unavailable } from '../engine/unavailable.ts';
import { longRunning } from '../engine/work.ts';

export type Job = { id: string; name: string | null; schedule: string; command: string };

export type Ended = { status: 'succeeded' | 'failed'; message: string | null };

/**
 * Runs a job's command as it stands, as the owner of the database, and writes down how it ended.
 * @throws Unavailable when the database is away: then there is nothing to write it into
 */
export async function runJob(engine: Engine, job: Job): Promise<Ended> {
  const began = new Date();
  const ended = await endOf(engine, job);
  await engine.transaction((session) =>
    session.query(
      `insert into cron.job_run_details (jobid, job_pid, command, status, return_message, start_time, end_time)
       values ($1::bigint, $2::integer, $3, $4, $5, $6::timestamptz, clock_timestamp())`,
      [job.id, process.pid, job.command, ended.status, ended.message, began.toISOString()],
    ),
  );
  return ended;
}

async function endOf(engine: Engine, job: Job): Promise<Ended> {
  try {
    await longRunning(`job ${job.name ?? job.id}`, () => engine.execOutsideTransaction(job.command));
    return { status: 'succeeded', message: null };
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return {
      status: 'failed',
      message: isDatabaseError(error) ? `ERROR: ${message} (${error.code})` : message,
    };
  }
}
