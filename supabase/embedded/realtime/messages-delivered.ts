/**
 * A transaction that sends is over within this time: its statements and its pauses are stopped after 10 s each
 * (engine/postgres.ts).
 */
const LONGEST_TRANSACTION_MS = 60_000;

/** Which messages have been handed on, by their positions: enough to tell which are missing. */
export class Delivered {
  readonly #times = new Map<number, number>();
  #floor: number;

  /** @param floor the newest position there is: what comes is behind it */
  constructor(floor: number) {
    this.#floor = floor;
  }

  /** Nothing at or before this position can be missing. */
  get floor(): number {
    return this.#floor;
  }

  /** @returns false of a message that has been handed on already */
  add(position: number, now: number): boolean {
    if (this.#times.has(position)) return false;
    this.#times.set(position, now);
    return true;
  }

  /**
   * To be called when all that had been committed at a time has been handed on: forgets what was so long before that
   * nothing earlier can have been under way then.
   */
  allUntil(time: number): void {
    for (const [position, at] of this.#times) {
      if (at > time - LONGEST_TRANSACTION_MS) return;
      this.#floor = Math.max(this.#floor, position);
      this.#times.delete(position);
    }
  }
}
