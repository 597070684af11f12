import { isSlowConnection } from '../browser/line.ts';

/** What was asked for by hand: a newer version of its update shows it too. */
const requestedIds = new Set<string>();
let isStarted = false;

/**
 * Fills the places of photos with the photos: on a good line all of them, also those that come later; on a poor one
 * those that the reader asks for, in their smallest print. Called by pages with photos, and by what follows a coverage
 * when a photo comes.
 */
export function showPhotos(): void {
  if (isStarted) return;
  isStarted = true;
  showWithin(document, !isSlowConnection());
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      // A place that was put back is not filled again by itself.
      if (node instanceof HTMLElement && !node.matches('.place')) showWithin(node, !isSlowConnection());
    }
  }).observe(document.body, { childList: true, subtree: true });
  document.addEventListener('click', showRequested);
  addEventListener('beforeprint', showAll);
}

function showWithin(within: ParentNode, all: boolean): void {
  for (const placeholder of within.querySelectorAll<HTMLElement>('.photo > .frame > .place')) {
    if (all || requestedIds.has(placeholder.dataset.photo ?? '')) show(placeholder, !all);
  }
}

/** Puts the picture into its place; where it cannot be had, the words come back. */
function show(placeholder: HTMLElement, smallest: boolean): HTMLImageElement | null {
  const picture = pictureOf(placeholder);
  if (!picture) return null;
  if (smallest) picture.removeAttribute('srcset');
  picture.addEventListener('error', () => picture.replaceWith(placeholder));
  placeholder.replaceWith(picture);
  return picture;
}

/** The picture that the page has for those without scripts: text, or elements where it came with an answer. */
function pictureOf(placeholder: Element): HTMLImageElement | null {
  const noscript = placeholder.parentElement?.querySelector('noscript');
  const html = noscript?.textContent || noscript?.innerHTML || '';
  const picture = new DOMParser().parseFromString(html, 'text/html').querySelector('img');
  return picture && document.importNode(picture);
}

function showRequested(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('.place > a') : null;
  const placeholder = link?.closest<HTMLElement>('.place');
  // Whoever wants it in a tab of its own says so by another key.
  if (!placeholder || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const picture = show(placeholder, isSlowConnection());
  if (!picture) return;
  event.preventDefault();
  requestedIds.add(placeholder.dataset.photo ?? '');
  picture.loading = 'eager';
  picture.tabIndex = -1;
  picture.focus({ preventScroll: true });
}

/** Paper does not wait until somebody scrolls. */
function showAll(): void {
  showWithin(document, true);
  for (const picture of document.querySelectorAll<HTMLImageElement>('.photo > .frame > img'))
    picture.loading = 'eager';
}
