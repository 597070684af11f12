/**
 * A window scrolls by whole pixels, and lines of text are not as high as those: what is left over is made up for
 * the next time, if the reader has not scrolled meanwhile. Else a long evening would add it up.
 */
let roundingRest = { at: -1, by: 0 };

/**
 * Changes the page and keeps what is being read where it is: measured before and after, because browsers'
 * own anchoring loses its hold when the very thing it holds on to is replaced, and not all have it.
 */
export function keepScrollPosition(change: () => void): void {
  const anchorPart = readingAnchor();
  const root = document.documentElement.style;
  // Not both at once: what the browser moves and what we move would add up.
  root.overflowAnchor = 'none';
  change();
  if (anchorPart) {
    const targetTop = anchorPart.top - (roundingRest.at === window.scrollY ? roundingRest.by : 0);
    const topNow = () => document.getElementById(anchorPart.id)?.getBoundingClientRect().top ?? targetTop;
    window.scrollBy({ top: Math.round(topNow() - targetTop), behavior: 'instant' });
    roundingRest = { at: window.scrollY, by: topNow() - targetTop };
  }
  root.overflowAnchor = '';
}

/**
 * What is being read: the topmost thing that the top of the window has not passed. Within the list that is one of its
 * articles, because what stands beside a list may stay in view however far it is read. At the head of the page,
 * nothing.
 */
function readingAnchor(): { id: string; top: number } | undefined {
  if (window.scrollY <= 0) return;
  const list = document.getElementById('updates');
  const inList = list !== null && list.getBoundingClientRect().top <= 0;
  const parts = inList ? '#updates > article' : '#coverage section[id], #updates > article';
  return [...document.querySelectorAll<HTMLElement>(parts)]
    .map((part) => ({ id: part.id, ...verticalExtent(part) }))
    .filter(({ top, bottom }) => bottom > 1 && top < window.innerHeight)
    .sort((a, b) => a.top - b.top)[0];
}

const verticalExtent = (part: HTMLElement) => {
  const { top, bottom } = part.getBoundingClientRect();
  return { top, bottom };
};
