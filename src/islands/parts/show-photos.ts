/*
 * Fills the places of photos with the photos: on a good line all of them, also those that come later; on a poor one
 * those that the reader asks for, in their smallest print. Loaded by pages with photos, and by what follows a coverage
 * when its first photo comes.
 */

type Connection = { saveData?: boolean; effectiveType?: string; rtt?: number };

/** A round trip in milliseconds that no phone has where the network is at ease. */
const SLOW_MS = 500;

/** What was asked for by hand: a newer version of its update shows it too. */
const asked = new Set<string>();

function isPoor(): boolean {
  const { connection = {} } = navigator as { connection?: Connection };
  const { saveData, effectiveType = '', rtt = 0 } = connection;
  return saveData === true || /[23]g$/.test(effectiveType) || rtt > SLOW_MS;
}

/** The picture that the page has for those without scripts: text, or elements where it came with an answer. */
function pictureOf(place: Element): HTMLImageElement | null {
  const noscript = place.parentElement?.querySelector('noscript');
  const html = noscript?.textContent || noscript?.innerHTML || '';
  const picture = new DOMParser().parseFromString(html, 'text/html').querySelector('img');
  return picture && document.importNode(picture);
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

function fill(within: ParentNode, all: boolean): void {
  for (const place of within.querySelectorAll<HTMLElement>('.photo > .frame > .place')) {
    const wanted = asked.has(place.dataset.photo ?? '');
    if (all || wanted) show(place, !all);
  }
}

new MutationObserver((changes) => {
  // A place that is put back is not tried again by itself.
  const come = changes.flatMap(({ addedNodes }) => [...addedNodes]);
  for (const node of come) if (node instanceof HTMLElement && !node.matches('.place')) fill(node, !isPoor());
}).observe(document.body, { childList: true, subtree: true });

document.addEventListener('click', (event) => {
  const link = (event.target as Element | null)?.closest?.('.place > a');
  const place = link?.closest<HTMLElement>('.place');
  // Whoever wants it in a tab of its own says so with another key or button.
  if (!place || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const picture = show(place, isPoor());
  if (!picture) return;
  event.preventDefault();
  asked.add(place.dataset.photo ?? '');
  picture.loading = 'eager';
  picture.tabIndex = -1;
  picture.focus({ preventScroll: true });
});

// Paper does not wait until somebody scrolls.
addEventListener('beforeprint', () => {
  fill(document, true);
  for (const picture of document.querySelectorAll<HTMLImageElement>('.photo img')) picture.loading = 'eager';
});

fill(document, !isPoor());
