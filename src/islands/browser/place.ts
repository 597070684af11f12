/**
 * Windows scroll by whole pixels, lines of text do not. The remainder is corrected next time if the reader has not
 * scrolled, so that it does not add up.
 */
let roundingRest = { at: -1, by: 0 };

/**
 * Changes the page and keeps the visible text in place. Scroll anchoring of browsers fails when the anchor itself is
 * replaced, and some browsers lack it.
 */
export function keepScrollPosition(change: () => void): void {
  const anchorPart = readingAnchor();
  const root = document.documentElement.style;
  // Scroll anchoring would add to our own correction.
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
 * The topmost part in view, an article while the list is being read, because parts beside the list stay in view.
 * Undefined at the top of the page.
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
