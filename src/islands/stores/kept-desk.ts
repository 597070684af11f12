import type { ReadableAtom } from 'nanostores';
import type { DeskCoverage } from '../../lib/desk/coverage.ts';
import { forgetDesks, keepDesk } from '../../lib/outbox/device.ts';
import type { Connection } from './connection.ts';
import type { DeskContext } from './desk.ts';

type Around = { $coverage: ReadableAtom<DeskCoverage>; $connection: ReadableAtom<Connection | null> };

/**
 * Keeps on this device what a desk needs to open without a line, as it is now; a desk that is not its person's any more is
 * forgotten. Returns what ends it.
 */
export function keepKnown(context: DeskContext, { $coverage, $connection }: Around): () => void {
  const person = context.person.id;
  const keep = (coverage: DeskCoverage) =>
    // A device that keeps nothing opens nothing without a line.
    void keepDesk(person, coverage.slug, { ...context, coverage }).catch(() => undefined);
  const forget = () => void forgetDesks(person, [$coverage.get().slug]).catch(() => undefined);
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
