/** What a page does that stands in another site's frame: it tells how high it is, and knows what of it is in sight. */
export function keepFrame(): void {
  if (window.parent === window) return;
  tellHeight();
  watchSight();
}

/** A height is no secret: whoever shows the frame may know it. */
function tellHeight(): void {
  const root = document.documentElement;
  const tell = () => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    window.parent.postMessage({ type: 'stoppress:height', height }, '*');
  };
  tell();
  // Out of sight it may wait until it is seen.
  if ('ResizeObserver' in window) new ResizeObserver(tell).observe(root);
}

/**
 * In a frame as high as what is in it the page around it scrolls, of which nothing is known but what of the frame is in
 * sight: `none` of it, or what is `below` its head, where someone reads and nothing is to move. What follows the coverage
 * hears of it as of any page that is scrolled, or turned away from.
 */
function watchSight(): void {
  const page = document.getElementById('coverage');
  const head = page?.querySelector('.head');
  if (!page || !head || !('IntersectionObserver' in window)) return;
  const seen = new Map<Element, boolean>();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) seen.set(target, isIntersecting);
    page.dataset.sight = seen.get(head) ? 'head' : seen.get(page) ? 'below' : 'none';
    document.dispatchEvent(new Event('visibilitychange'));
    window.dispatchEvent(new Event('scroll'));
  });
  observer.observe(page);
  observer.observe(head);
}
