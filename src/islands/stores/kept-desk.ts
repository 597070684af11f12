import type { ReadableAtom } from 'nanostores';
import type { DeskCoverage } from '../../lib/desk/coverage.ts';
import { deleteDesks, saveDesk } from '../../lib/outbox/device.ts';
import type { Connection } from './connection.ts';
import type { DeskContext } from './desk.ts';

type Around = { $coverage: ReadableAtom<DeskCoverage>; $connection: ReadableAtom<Connection | null> };

/**
 * Stores what a desk needs to open offline, and updates it. Deletes it when the person loses access. Returns a function
 * that stops it.
 */
export function saveDeskData(context: DeskContext, { $coverage, $connection }: Around): () => void {
  const person = context.person.id;
  const keep = (coverage: DeskCoverage) =>
    // Without storage the desk does not open offline.
    void saveDesk(person, coverage.slug, { ...context, coverage }).catch(() => undefined);
  const forget = () => void deleteDesks(person, [$coverage.get().slug]).catch(() => undefined);
  const stops = [
    $coverage.subscribe(keep),
    $connection.listen((now) => {
      if (now?.state === 'not_yours') forget();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
