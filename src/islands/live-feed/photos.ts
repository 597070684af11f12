import { network } from '../network/network.ts';

/** Photos that the reader requested. Newer versions of their updates show them too. */
const requestedIds = new Set<string>();
let isStarted = false;

/**
 * Replaces photo placeholders by images: all of them on a good connection, on a poor one those that the reader
 * requests, in the smallest size. Called by pages with photos, and by the live feed when a photo arrives.
 */
export function showPhotos(): void {
  if (isStarted) return;
  isStarted = true;
  showWithin(document, !network().isSlow);
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      // A placeholder that was put back after an error is not filled again automatically.
      if (node instanceof HTMLElement && !node.matches('.place')) showWithin(node, !network().isSlow);
    }
  }).observe(document.body, { childList: true, subtree: true });
  document.addEventListener('click', showRequested);
  addEventListener('beforeprint', showAll);
}

/** Placeholders of photos in updates, and of thumbnails. */
const PLACEHOLDERS = '.photo > .frame > .place, .thumbnail > svg';

function showWithin(within: ParentNode, all: boolean): void {
  for (const placeholder of within.querySelectorAll<HTMLElement | SVGElement>(PLACEHOLDERS)) {
    if (all || requestedIds.has(placeholder.dataset.photo ?? '')) show(placeholder, !all);
  }
}

/** Replaces a placeholder by its image. After an error the placeholder returns. */
function show(placeholder: Element, smallest: boolean): HTMLImageElement | null {
  const picture = pictureOf(placeholder);
  if (!picture) return null;
  if (smallest) picture.removeAttribute('srcset');
  picture.addEventListener('error', () => picture.replaceWith(placeholder));
  placeholder.replaceWith(picture);
  return picture;
}

/** The image of the noscript element: text in the page, elements in a changes response. */
function pictureOf(placeholder: Element): HTMLImageElement | null {
  const noscript = placeholder.parentElement?.querySelector('noscript');
  const html = noscript?.textContent || noscript?.innerHTML || '';
  const picture = new DOMParser().parseFromString(html, 'text/html').querySelector('img');
  return picture && document.importNode(picture);
}

function showRequested(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('.place > a') : null;
  const placeholder = link?.closest<HTMLElement>('.place');
  // Modifier keys open the image in a new tab.
  if (!placeholder || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const picture = show(placeholder, network().isSlow);
  if (!picture) return;
  event.preventDefault();
  requestedIds.add(placeholder.dataset.photo ?? '');
  picture.loading = 'eager';
  picture.tabIndex = -1;
  picture.focus({ preventScroll: true });
}

/** Printing does not wait for lazy loading. */
function showAll(): void {
  showWithin(document, true);
  for (const picture of document.querySelectorAll<HTMLImageElement>('.frame > img, .thumbnail > img'))
    picture.loading = 'eager';
}
