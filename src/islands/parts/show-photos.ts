import { isSlowLine } from '../browser/line.ts';

/** What was asked for by hand: a newer version of its update shows it too. */
const asked = new Set<string>();
let started = false;

/**
 * Fills the places of photos with the photos: on a good line all of them, also those that come later; on a poor one
 * those that the reader asks for, in their smallest print. Called by pages with photos, and by what follows a coverage
 * when a photo comes.
 */
export function showPhotos(): void {
  if (started) return;
  started = true;
  fill(document, !isSlowLine());
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      // A place that was put back is not filled again by itself.
      if (node instanceof HTMLElement && !node.matches('.place')) fill(node, !isSlowLine());
    }
  }).observe(document.body, { childList: true, subtree: true });
  document.addEventListener('click', showAsked);
  addEventListener('beforeprint', showAll);
}

function fill(within: ParentNode, all: boolean): void {
  for (const place of within.querySelectorAll<HTMLElement>('.photo > .frame > .place')) {
    if (all || asked.has(place.dataset.photo ?? '')) show(place, !all);
  }
}

/** Puts the picture into its place; where it cannot be had, the words come back. */
function show(place: HTMLElement, smallest: boolean): HTMLImageElement | null {
  const picture = pictureOf(place);
  if (!picture) return null;
  if (smallest) picture.removeAttribute('srcset');
  picture.addEventListener('error', () => picture.replaceWith(place));
  place.replaceWith(picture);
  return picture;
}

/** The picture that the page has for those without scripts: text, or elements where it came with an answer. */
function pictureOf(place: Element): HTMLImageElement | null {
  const noscript = place.parentElement?.querySelector('noscript');
  const html = noscript?.textContent || noscript?.innerHTML || '';
  const picture = new DOMParser().parseFromString(html, 'text/html').querySelector('img');
  return picture && document.importNode(picture);
}

function showAsked(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('.place > a') : null;
  const place = link?.closest<HTMLElement>('.place');
  // Whoever wants it in a tab of its own says so by another key.
  if (!place || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const picture = show(place, isSlowLine());
  if (!picture) return;
  event.preventDefault();
  asked.add(place.dataset.photo ?? '');
  picture.loading = 'eager';
  picture.tabIndex = -1;
  picture.focus({ preventScroll: true });
}

/** Paper does not wait until somebody scrolls. */
function showAll(): void {
  fill(document, true);
  for (const picture of document.querySelectorAll<HTMLImageElement>('.photo > .frame > img'))
    picture.loading = 'eager';
}
