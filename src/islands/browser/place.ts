/**
 * Changes the page and keeps what is being read where it is: measured before and after, because browsers'
 * own anchoring loses its hold when the very thing it holds on to is replaced, and not all have it.
 */
export function keepPlace(change: () => void): void {
  const before = anchor();
  const root = document.documentElement.style;
  // Not both at once: what the browser moves and what we move would add up.
  root.overflowAnchor = 'none';
  change();
  if (before) {
    const after = document.getElementById(before.id)?.getBoundingClientRect().top ?? before.top;
    if (after !== before.top) window.scrollBy({ top: after - before.top, behavior: 'instant' });
  }
  root.overflowAnchor = '';
}

/** The first thing with a name that the top of the window has not passed. At the head of the page, nothing. */
function anchor(): { id: string; top: number } | undefined {
  if (window.scrollY <= 0) return;
  for (const part of document.querySelectorAll<HTMLElement>('#updates > [id], #coverage section[id]')) {
    const { top, bottom } = part.getBoundingClientRect();
    if (bottom > 1 && top < window.innerHeight) return { id: part.id, top };
  }
  return;
}
