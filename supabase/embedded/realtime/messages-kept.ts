import type { Engine } from '../engine/engine.ts';
import { longRunning } from '../engine/work.ts';
import { everyHour } from '../every-hour.ts';

/** As a hosted project keeps them. */
const KEPT = '3 days';

/** Deletes the messages that are too old to be replayed, and gives back the room of those that rights were tried with. */
export async function forgetOldMessages(engine: Engine): Promise<void> {
  await engine.exec(
    `delete from realtime.messages where inserted_at < now() at time zone 'UTC' - interval '${KEPT}'`,
  );
  await engine.reclaim('realtime.messages');
}

export const keepMessages = (engine: Engine) =>
  everyHour(
    17,
    () => longRunning('deleting old messages', () => forgetOldMessages(engine)),
    'Old messages were not deleted.',
  );
