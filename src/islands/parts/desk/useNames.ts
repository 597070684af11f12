import { useEffect, useMemo, useState } from 'react';
import type { DeskByline } from '../../../lib/desk/update.ts';
import type { Desk } from '../../stores/desk.ts';

export type Names = {
  known: ReadonlyMap<string, DeskByline>;
  /** They were asked for and could not be read. */
  isMissing: boolean;
};

/**
 * The people whose words an update may be.
 * @param bylines those of the update as it was
 * @param isWanted whether somebody looks for a name: not before that are they read
 */
export function useNames(desk: Desk, bylines: DeskByline[], isWanted: boolean): Names {
  const [read, setRead] = useState<DeskByline[] | 'missing' | null>(null);
  const isDue = isWanted && read === null;
  useEffect(() => {
    if (!isDue) return;
    let isOver = false;
    const learn = (found: DeskByline[] | 'missing') => !isOver && setRead(found);
    desk.names().then(learn, () => learn('missing'));
    return () => {
      isOver = true;
    };
  }, [desk, isDue]);
  // What could not be read is asked for again when it is looked for the next time.
  useEffect(() => {
    if (!isWanted) setRead((before) => (before === 'missing' ? null : before));
  }, [isWanted]);
  return useMemo(() => {
    const staff = Array.isArray(read) ? read : [];
    const known = [desk.person, ...bylines, ...staff].map((person) => [person.id, person] as const);
    return { known: new Map(known), isMissing: read === 'missing' };
  }, [desk, bylines, read]);
}
