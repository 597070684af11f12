import { Cron } from 'croner';
import type { Engine } from '../engine/engine.ts';

/** As pg_net keeps them by default. */
const ANSWERS_KEPT = '6 hours';

/** Of each job. pg_cron keeps all for ever, which of a job of every few seconds is a table without end. */
const RUNS_KEPT = 200;

/** Every hour, away from the minutes of backups and messages. */
const WHEN = '37 * * * *';

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

/** Forgets them now and every hour. A time that fails is said on the log, and the next one comes. */
export function keepRuns(engine: Engine): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const run = () => {
    running = forgetRuns(engine).catch((error: unknown) => {
      console.error('Old runs of jobs were not deleted. The next try is in an hour.', error);
    });
    return running;
  };
  const job = new Cron(WHEN, { protect: true }, run);
  void run();
  return {
    async stop() {
      job.stop();
      await running;
    },
  };
}
