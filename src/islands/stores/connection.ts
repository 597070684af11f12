import type { WritableAtom } from 'nanostores';
import type { Code } from '../../lib/http/errors.ts';
import { refusalOf } from './refusal-of.ts';
import type { Wanted } from './wanted.ts';

/** How somebody at a desk stands to the newsroom: whether it is reached, and when it last was. */
export type Connection = {
  state: 'current' | 'behind' | 'signed_out' | 'not_yours';
  /** When it was last reached. */
  at: string;
  /** When everything was last looked at. */
  lookedAt: string;
};

/** What a look has read; null when it was for something that is not wanted any more. */
export type Looked = 'all' | 'some' | null;

/** How everything is read, and how some of it. */
export type Reading = { all(): Promise<Looked>; some(ids: string[]): Promise<Looked> };

/**
 * Looks at what is wanted, and writes down how that went.
 * @param atOnce ids that one call may ask for: of more, everything is read
 */
export function connectionReader(
  $connection: WritableAtom<Connection | null>,
  atOnce: number,
  { all, some }: Reading,
): (wanted: Wanted) => Promise<void> {
  return async (wanted) => {
    try {
      // After a failure nobody knows what was missed.
      const isWhole = wanted.all || wanted.ids.size > atOnce || $connection.get()?.state !== 'current';
      const looked = await (isWhole ? all() : some([...wanted.ids]));
      if (looked) $connection.set(after('current', $connection.get(), looked === 'all'));
    } catch (error) {
      $connection.set(after(WHY_NOT[refusalOf(error).code] ?? 'behind', $connection.get()));
    }
  };
}

/** Of a look that failed the times stay those of the last good one. */
function after(state: Connection['state'], before: Connection | null, isWhole = false): Connection {
  const now = new Date().toISOString();
  if (state !== 'current') return { state, at: before?.at ?? now, lookedAt: before?.lookedAt ?? now };
  return { state, at: now, lookedAt: isWhole ? now : (before?.lookedAt ?? now) };
}

/** What a refused look means. Refused for the whole desk is somebody else's session in this browser. */
const WHY_NOT: Partial<Record<Code, Connection['state']>> = {
  signed_out: 'signed_out',
  forbidden: 'signed_out',
  not_found: 'not_yours',
};

/**
 * Numbers of what there is, beside a list that changes. In a busy minute nobody reads every one: what is a few seconds old
 * costs the newsroom half as much.
 * @param afterMs between a change and the counting of what is there then
 */
export function makeCounting<Counts>(
  $counts: WritableAtom<Counts>,
  count: () => Promise<NonNullable<Counts>>,
  afterMs: number,
): { set(counts: NonNullable<Counts>): void; soon(): void } {
  let isCounting = false;
  function set(counts: NonNullable<Counts>): void {
    if (JSON.stringify(counts) !== JSON.stringify($counts.get())) $counts.set(counts);
  }
  return {
    set,
    soon() {
      if (isCounting) return;
      isCounting = true;
      setTimeout(() => {
        isCounting = false;
        count().then(set, () => {});
      }, afterMs);
    },
  };
}
