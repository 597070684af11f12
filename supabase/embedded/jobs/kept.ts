import type { Engine } from '../engine/engine.ts';
import { longRunning } from '../engine/work.ts';
import { everyHour } from '../every-hour.ts';

/** As pg_net keeps them by default. */
const ANSWERS_KEPT = '6 hours';

/** Of each job. pg_cron keeps all for ever, which of a job of every few seconds is a table without end. */
const RUNS_KEPT = 200;

/** Deletes what is too old of how jobs and requests ended, and gives its room back. */
export async function forgetRuns(engine: Engine): Promise<void> {
  await engine.exec(
    `delete from net._http_response where created < now() - interval '${ANSWERS_KEPT}';
     delete from cron.job_run_details where runid in (
       select runid from (
         select runid, row_number() over (partition by jobid order by runid desc) as n from cron.job_run_details) runs
       where n > ${RUNS_KEPT})`,
  );
  for (const table of ['net._http_response', 'net.http_request_queue', 'cron.job_run_details']) {
    await engine.reclaim(table);
  }
}

export const keepRuns = (engine: Engine) =>
  everyHour(
    37,
    () => longRunning('deleting old runs', () => forgetRuns(engine)),
    'Old runs of jobs were not deleted.',
  );
