/**
 * Calls `send` with the newest of the values that it is given: once they have settled, and at most `most` times in any
 * `per` milliseconds. What comes in between is left out; what was said last is always sent.
 * @param settle milliseconds to wait for a newer value
 */
export function paced<T>(
  send: (value: T) => void,
  { most, per, settle }: { most: number; per: number; settle: number },
): (value: T) => void {
  let sent: number[] = [];
  let newest: { value: T } | undefined;

  function flush(): void {
    if (!newest) return;
    const now = performance.now();
    sent = [...sent.filter((at) => at > now - per), now];
    send(newest.value);
    newest = undefined;
  }

  /** Milliseconds until there is room for one more. */
  function wait(): number {
    const oldest = sent.length < most ? undefined : sent[sent.length - most];
    return Math.max(settle, oldest === undefined ? 0 : oldest + per - performance.now());
  }

  return (value) => {
    if (!newest) setTimeout(flush, wait());
    newest = { value };
  };
}
