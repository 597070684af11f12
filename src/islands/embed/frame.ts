/** Sets up a page in another site's frame: reports its height and tracks its visible part. */
export function setUpFrame(): void {
  if (window.parent === window) return;
  sendHeight();
  watchVisibility();
}

/** The height is not secret, so any embedding page may know it. */
function sendHeight(): void {
  const root = document.documentElement;
  const send = () => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    window.parent.postMessage({ type: 'stoppress:height', height }, '*');
  };
  send();
  // A hidden frame may report later.
  if ('ResizeObserver' in window) new ResizeObserver(send).observe(root);
}

/**
 * In a frame as high as its content, the outer page scrolls. `data-sight` says what is visible: `none`, or `below` the
 * head, where text being read must not move. The live feed gets the events of a page that is scrolled or hidden.
 */
function watchVisibility(): void {
  const page = document.getElementById('coverage');
  const head = page?.querySelector('.head');
  if (!page || !head || !('IntersectionObserver' in window)) return;
  const visible = new Map<Element, boolean>();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) visible.set(target, isIntersecting);
    page.dataset.sight = visible.get(head) ? 'head' : visible.get(page) ? 'below' : 'none';
    document.dispatchEvent(new Event('visibilitychange'));
    window.dispatchEvent(new Event('scroll'));
  });
  observer.observe(page);
  observer.observe(head);
}
