/** Sets up a page in another site's frame: reports its height and tracks its visible part. */
export function setUpFrame(): void {
  if (window.parent === window) return;
  // In the address of frames that WordPress has sandboxed. Its page accepts only messages that contain it.
  const [, secret] = /[?&]secret=([a-z0-9]+)/i.exec(location.hash) ?? [];
  sendHeight(secret);
  if (secret && window.origin === 'null') sendLinks(secret);
  watchVisibility();
}

/** Sends a message as WordPress defines it. */
function tellWordPress(secret: string, message: 'height' | 'link', value: number | string): void {
  window.parent.postMessage({ message, value, secret }, '*');
}

/** The height is not secret, so any embedding page may know it. */
function sendHeight(secret: string | undefined): void {
  const root = document.documentElement;
  const send = () => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    window.parent.postMessage({ type: 'stoppress:height', height }, '*');
    if (secret) tellWordPress(secret, 'height', height);
  };
  send();
  // A hidden frame may report later.
  if ('ResizeObserver' in window) new ResizeObserver(send).observe(root);
  if (!secret) return;
  // WordPress loads its script after the frame. The script then asks for the height again.
  window.addEventListener('message', ({ source, data }) => {
    if (source === window.parent && data?.message === 'ready' && data.secret === secret) send();
  });
}

/**
 * WordPress's sandbox blocks new tabs. Its page opens addresses of this host for the frame. For all others the page of
 * their update opens, where they are links.
 */
function sendLinks(secret: string): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>('a[href]');
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    // A reload keeps the secret in the address. Following the link would lose it.
    if (link.target === '_self') location.reload();
    else tellWordPress(secret, 'link', pageFor(link).href);
  });
}

/** Returns a link of this host: the link itself, or else the one to its update or coverage. */
function pageFor(link: HTMLAnchorElement): HTMLAnchorElement {
  if (link.host === location.host) return link;
  const page = link.closest('article')?.querySelector<HTMLAnchorElement>('.when a');
  return page ?? document.querySelector<HTMLAnchorElement>('h1 a') ?? link;
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
