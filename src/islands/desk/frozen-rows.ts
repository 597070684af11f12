import { atom, type ReadableAtom } from 'nanostores';
import { type HeldList, heldRows } from '../../lib/data/desk-list.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';

export type HeldRows<Row = DeskUpdate> = {
  /** The rows as they stand, and how many more there are that would move them. */
  $list: ReadableAtom<HeldList<Row>>;
  /** To be told that the list is being used: a pointer moves in it, a key was pressed there. */
  use(): void;
  /** To be told that the pointer has left. */
  leave(): void;
  /** Everything takes its place, also what is held. */
  letGo(): void;
  /** To be told that the next list is another one: of that nothing is held. */
  renew(): void;
  watch(): () => void;
};

/** Somebody who has not moved for so long aims at nothing. */
const IDLE_MS = 10_000;

/**
 * Holds a list still while it is used, and for as long as a panel is open in it: what is there changes in its place, what
 * comes waits, what goes stays as it was last known.
 * @param latest what is known of a row that has left the list
 */
export function makeHeld<Row extends { id: string }>(
  $rows: ReadableAtom<Row[]>,
  $open: ReadableAtom<{ id: string } | null>,
  latest?: (id: string) => Row | undefined,
): HeldRows<Row> {
  const $list = atom<HeldList<Row>>({ rows: $rows.get(), waiting: 0 });
  let shown: Row[] | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  let isUsed = false;
  let isRenewed = false;

  function show(): void {
    const now = $rows.get();
    const isHeld = !isRenewed && (isUsed || $open.get() !== null);
    shown = isHeld ? (shown ?? $list.get().rows) : undefined;
    $list.set(shown ? heldRows(shown, now, latest) : { rows: now, waiting: 0 });
    // What is seen of a row that leaves later is how it was when it left.
    if (shown) shown = $list.get().rows;
  }

  function free(): void {
    clearTimeout(idle);
    isUsed = false;
    if (shown) show();
  }

  $rows.listen(() => {
    show();
    isRenewed = false;
  });
  return {
    $list,
    use() {
      clearTimeout(idle);
      idle = setTimeout(free, IDLE_MS);
      if (isUsed) return;
      isUsed = true;
      show();
    },
    leave: free,
    letGo() {
      shown = $rows.get();
      show();
    },
    renew() {
      isRenewed = true;
    },
    watch() {
      const stop = $open.listen(show);
      return () => {
        stop();
        clearTimeout(idle);
      };
    },
  };
}
