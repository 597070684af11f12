import { Cron } from 'croner';
import type { Engine } from '../engine/engine.ts';

/** As a hosted project keeps them. */
const KEPT = '3 days';

/** Every hour, away from the minutes at which backups are made. */
const WHEN = '17 * * * *';

/** Deletes the messages that are too old to be replayed, and gives back the room of those that rights were tried with. */
export async function forgetOldMessages(engine: Engine): Promise<void> {
  await engine.exec(
    `delete from realtime.messages where inserted_at < now() at time zone 'UTC' - interval '${KEPT}'`,
  );
  await engine.reclaim('realtime.messages');
}

/** Forgets them now and every hour. A time that fails is said on the log, and the next one comes. */
export function keepMessages(engine: Engine): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const run = () => {
    running = forgetOldMessages(engine).catch((error: unknown) => {
      console.error('Old messages were not deleted. The next try is in an hour.', error);
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
