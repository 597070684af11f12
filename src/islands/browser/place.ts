/**
 * A window scrolls by whole pixels, and lines of text are not as high as those: what is left over is made up for
 * the next time, if the reader has not scrolled meanwhile. Else a long evening would add it up.
 */
let leftOver = { at: -1, by: 0 };

/**
 * Changes the page and keeps what is being read where it is: measured before and after, because browsers'
 * own anchoring loses its hold when the very thing it holds on to is replaced, and not all have it.
 */
export function keepPlace(change: () => void): void {
  const read = anchor();
  const root = document.documentElement.style;
  // Not both at once: what the browser moves and what we move would add up.
  root.overflowAnchor = 'none';
  change();
  if (read) {
    const wanted = read.top - (leftOver.at === window.scrollY ? leftOver.by : 0);
    const topNow = () => document.getElementById(read.id)?.getBoundingClientRect().top ?? wanted;
    window.scrollBy({ top: Math.round(topNow() - wanted), behavior: 'instant' });
    leftOver = { at: window.scrollY, by: topNow() - wanted };
  }
  root.overflowAnchor = '';
}

/**
 * What is being read: the topmost thing that the top of the window has not passed. Within the list that is one of its
 * articles, because what stands beside a list may stay in view however far it is read. At the head of the page,
 * nothing.
 */
function anchor(): { id: string; top: number } | undefined {
  if (window.scrollY <= 0) return;
  const list = document.getElementById('updates');
  const inList = list !== null && list.getBoundingClientRect().top <= 0;
  const parts = inList ? '#updates > article' : '#coverage section[id], #updates > article';
  return [...document.querySelectorAll<HTMLElement>(parts)]
    .map((part) => ({ id: part.id, ...span(part) }))
    .filter(({ top, bottom }) => bottom > 1 && top < window.innerHeight)
    .sort((a, b) => a.top - b.top)[0];
}

const span = (part: HTMLElement) => {
  const { top, bottom } = part.getBoundingClientRect();
  return { top, bottom };
};
