import { atom, type ReadableAtom } from 'nanostores';
import { type FrozenList, mergeFrozenRows } from '../../lib/data/desk-updates.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';

export type FrozenRows<Row = DeskUpdate> = {
  /** The rows as shown, and the number of waiting rows. */
  $list: ReadableAtom<FrozenList<Row>>;
  /** Call when the list is used: pointer movement or a key. */
  onUse(): void;
  /** Call when the pointer leaves. */
  onLeave(): void;
  /** Shows all current rows. */
  showAll(): void;
  /** Shows the next list completely, because it is a different one. */
  reset(): void;
  watch(): () => void;
};

/** Time without activity after which the list counts as unused. */
const IDLE_MS = 10_000;

/**
 * Freezes a list while it is used or a panel is open in it: rows change in place, new rows wait, removed rows stay.
 * @param latest last known version of a removed row
 */
export function freezeRows<Row extends { id: string }>(
  $rows: ReadableAtom<Row[]>,
  $open: ReadableAtom<{ id: string } | null>,
  latest?: (id: string) => Row | undefined,
): FrozenRows<Row> {
  const $list = atom<FrozenList<Row>>({ rows: $rows.get(), waiting: 0 });
  let shown: Row[] | undefined;
  let idleTimer: ReturnType<typeof setTimeout> | undefined;
  let isInUse = false;
  let isReset = false;

  function show(): void {
    const now = $rows.get();
    const isFrozen = !isReset && (isInUse || $open.get() !== null);
    shown = isFrozen ? (shown ?? $list.get().rows) : undefined;
    $list.set(shown ? mergeFrozenRows(shown, now, latest) : { rows: now, waiting: 0 });
    // A removed row is shown as it was when it left.
    if (shown) shown = $list.get().rows;
  }

  function unfreeze(): void {
    clearTimeout(idleTimer);
    isInUse = false;
    if (shown) show();
  }

  $rows.listen(() => {
    show();
    isReset = false;
  });
  return {
    $list,
    onUse() {
      clearTimeout(idleTimer);
      idleTimer = setTimeout(unfreeze, IDLE_MS);
      if (isInUse) return;
      isInUse = true;
      show();
    },
    onLeave: unfreeze,
    showAll() {
      shown = $rows.get();
      show();
    },
    reset() {
      isReset = true;
    },
    watch() {
      const stop = $open.listen(show);
      return () => {
        stop();
        clearTimeout(idleTimer);
      };
    },
  };
}
