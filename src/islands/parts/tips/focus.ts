/**
 * With the button that was pressed the focus is gone too: it stays at the row. Where the row is gone the list has given
 * it to the one in its place, or there is none, and the queue itself has it.
 */
export function goOnFrom(place: HTMLElement | null): void {
  const queue =
    place?.closest<HTMLElement>('.tip-queue') ?? document.querySelector<HTMLElement>('.tip-queue');
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    (place?.closest<HTMLElement>('li.tip-row') ?? queue)?.focus();
  });
}
