import type { Engine } from '../engine/engine.ts';
import { Unavailable } from '../engine/errors.ts';
import { log } from '../log/log.ts';
import { limitRunHistory, openJobClock } from './cron.ts';
import { openRequests } from './http-requests.ts';

/**
 * What the database asks of the backend: to run commands at their times (`cron.job`), and to make requests
 * (`net.http_request_queue`). Woken by the database whenever either changes.
 */
export async function openJobs(engine: Engine): Promise<{ stop(): Promise<void> }> {
  const clockwork = openJobClock(engine);
  const requests = openRequests(engine);
  let turn = Promise.resolve();
  const reload = () => {
    turn = turn.then(() =>
      clockwork.reload().catch((error: unknown) => {
        // Jobs are read again after each reconnect to the database.
        if (!(error instanceof Unavailable)) log.error('The jobs of the database were not read.', { error });
      }),
    );
    return turn;
  };
  const stopListening = await engine.listen(
    'jobs',
    (what) => void (what === 'cron' ? reload() : requests.look()),
    () => {
      void reload();
      void requests.look();
    },
  );
  const keeping = limitRunHistory(engine);
  return {
    async stop() {
      await stopListening();
      await turn;
      await clockwork.stop();
      await Promise.all([requests.stop(), keeping.stop()]);
    },
  };
}
