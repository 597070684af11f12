import { $held } from './store.ts';

/** Newer versions of parts that are in use, by id. */
const pendingParts = new Map<string, HTMLElement>();

/** The newest known version of a part, shown or pending. */
function latestVersion(id: string): HTMLElement | null {
  return pendingParts.get(id) ?? document.getElementById(id);
}

/**
 * Replaces the part with the same id. A part that is in use waits for `replacePendingParts`, unless `isImmediate`. So
 * does a part with an open fold that the newer version lacks, because the text being read would disappear.
 */
export function replacePart(newer: HTMLElement, isImmediate: boolean): void {
  const current = document.getElementById(newer.id);
  pendingParts.delete(newer.id);
  if (!current || current.isEqualNode(newer)) return;
  if (!isImmediate && (isInUse(current) || openFoldCount(current) > foldCount(newer))) {
    pendingParts.set(newer.id, newer);
    return;
  }
  const folds = current.querySelectorAll('details');
  newer.querySelectorAll('details').forEach((fold, n) => {
    fold.open = folds[n]?.open ?? fold.open;
  });
  const focused = current.contains(document.activeElement);
  current.replaceWith(newer);
  if (focused) focusOn(newer);
}

export const hasPendingParts = () => pendingParts.size > 0;

/** Replaces pending parts that are no longer in use. */
export function replacePendingParts(): void {
  for (const newer of [...pendingParts.values()]) replacePart(newer, false);
}

/** Moves the focus to a part without scrolling. */
export function focusOn(part: HTMLElement): void {
  part.tabIndex = -1;
  part.focus({ preventScroll: true });
}

const openFoldCount = (part: HTMLElement) => part.querySelectorAll('details[open]').length;
const foldCount = (part: HTMLElement) => part.querySelectorAll('details').length;

/** Whether the focus is inside this part, or the selection touches it. */
function isInUse(part: HTMLElement): boolean {
  const { activeElement } = document;
  return (activeElement !== part && part.contains(activeElement)) || isSelected(part);
}

export function isSelected(part: Node): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
}

/**
 * Windows scroll by whole pixels, lines of text do not. The remainder is corrected next time if the reader has not
 * scrolled, so that it does not add up.
 */
let roundingRest = { at: -1, by: 0 };

/**
 * Changes the page and keeps the visible text in place. Scroll anchoring of browsers fails when the anchor itself is
 * replaced, and some browsers lack it.
 * @param atTop also at the top of the page, where a change above the visible text moves out of view
 */
export function keepScrollPosition(change: () => void, atTop = false): void {
  const anchor = atTop || window.scrollY > 0 ? readingAnchor() : undefined;
  const root = document.documentElement.style;
  // Scroll anchoring would add to our own correction.
  root.overflowAnchor = 'none';
  change();
  if (anchor) {
    const { element, top } = anchor.find();
    const targetTop = top - (roundingRest.at === window.scrollY ? roundingRest.by : 0);
    const topNow = () => element?.getBoundingClientRect().top ?? targetTop;
    window.scrollBy({ top: Math.round(topNow() - targetTop), behavior: 'instant' });
    roundingRest = { at: window.scrollY, by: topNow() - targetTop };
  }
  root.overflowAnchor = '';
}

type ScrollAnchor = {
  /** The element after the change, and where its top was before. */
  find(): { element: Element | null | undefined; top: number };
};

/**
 * The topmost part in view, an article while the list is being read, because parts beside the list stay in view. Of a part
 * that begins above the window it is the first paragraph in view: a correction above it changes the height of the part.
 * Not the banner, which is new or changed when it matters, and on a wide screen not the parts at the side.
 */
function readingAnchor(): ScrollAnchor | undefined {
  const list = document.getElementById('updates');
  const inList = list !== null && list.getBoundingClientRect().top <= 0;
  const besides = matchMedia('(min-width: 64rem)').matches ? '#urgent, .rail *' : '#urgent';
  const parts = inList ? '#updates > article' : `#coverage section[id]:not(${besides}), #updates > article`;
  const inView = [...document.querySelectorAll<HTMLElement>(parts)]
    .map((part) => ({ id: part.id, ...verticalExtent(part) }))
    .filter(({ top, bottom }) => bottom > 1 && top < window.innerHeight)
    .sort((a, b) => a.top - b.top);
  const [part] = inView;
  if (!part) return;
  const paragraphs = () => [...(document.getElementById(part.id)?.querySelectorAll('p') ?? [])];
  const read = part.top < 0 ? paragraphs().find((each) => verticalExtent(each).bottom > 1) : undefined;
  const text = read?.textContent;
  const paragraphTop = read && verticalExtent(read).top;
  return {
    find() {
      const element = paragraphs().find((each) => each.textContent === text);
      if (element && paragraphTop !== undefined) return { element, top: paragraphTop };
      // The change may have hidden the topmost part.
      const { id, top } = inView.find(({ id }) => isShown(id)) ?? part;
      return { element: document.getElementById(id), top };
    },
  };
}

const isShown = (id: string) => (document.getElementById(id)?.getClientRects().length ?? 0) > 0;

const verticalExtent = (part: HTMLElement) => {
  const { top, bottom } = part.getBoundingClientRect();
  return { top, bottom };
};

/** Shows the number of held updates in the page's title. Returns a function that stops it. */
export function showHeldCount(): () => void {
  const title = document.title;
  return $held.listen((count) => {
    document.title = count > 0 ? `(${count}) ${title}` : title;
  });
}

/** The urgent update that the banner shows, and its first words. Null if there is none. */
export function readBanner(): { number: string; text: string } | null {
  const banner = document.getElementById('urgent');
  if (!banner?.dataset.number) return null;
  // The heading is the label with the time.
  const text = banner.querySelector('h3, h2 ~ *')?.textContent ?? '';
  return { number: banner.dataset.number, text };
}

/** Whether the banner and the header above it are not scrolled out of view. */
export function isBannerInView(): boolean {
  const banner = document.getElementById('urgent');
  return banner !== null && verticalExtent(banner).top >= 0;
}

const numberOf = (article: HTMLElement) => Number(article.dataset.number);
/** Seq of the last change: an added photo makes no new version. */
const seqOf = (article: HTMLElement) => Number(article.dataset.seq);
export const isWithdrawn = (article: HTMLElement) => article.classList.contains('withdrawn');

/** An update's element and the heading of its day. */
export type Update = { article: HTMLElement; day: HTMLElement | undefined };

type LiveFeedList = {
  /** Adds or replaces an update. Returns true for a new, published and held one. */
  receive(update: Update): boolean;
  /** Number of held updates without tombstones. */
  held(): number;
  /** Inserts the held updates in order of number. Returns the newest. */
  insertHeld(): HTMLElement | undefined;
  /** Publication time of the newest update; empty when there is none. */
  newestTime(): string;
};

/**
 * The list of updates on the page, newest first. An older version never replaces a newer one, and updates older than
 * the page's are ignored.
 */
export function openList(list: HTMLElement): LiveFeedList {
  const held = new Map<number, Update>();
  let newest = Number(list.dataset.newest);
  const inOrder = () => [...held].sort(([a], [b]) => a - b).map(([, update]) => update);

  return {
    receive(update) {
      const { article } = update;
      const number = numberOf(article);
      const existing = held.get(number)?.article ?? latestVersion(article.id);
      if (existing && seqOf(existing) >= seqOf(article)) return false;
      if (number > newest) held.set(number, update);
      else if (existing) replacePart(article, isWithdrawn(article));
      return !existing && number > newest && !isWithdrawn(article);
    },
    held: () => inOrder().filter(({ article }) => !isWithdrawn(article)).length,
    insertHeld() {
      const updates = inOrder();
      held.clear();
      for (const update of updates) {
        newest = numberOf(update.article);
        update.article.classList.add('arrived');
        insertAtTop(list, update);
      }
      return updates.at(-1)?.article;
    },
    newestTime() {
      const shown = list.querySelectorAll<HTMLElement>(':scope > article');
      const newestFirst = [
        ...inOrder()
          .map(({ article }) => article)
          .reverse(),
        ...shown,
      ];
      const published = newestFirst.find((article) => !isWithdrawn(article));
      return published?.querySelector('time')?.dateTime ?? '';
    },
  };
}

/** Inserts an update at the top, under the day's heading if it is already there. */
function insertAtTop(list: HTMLElement, { article, day }: Update): void {
  const top = list.querySelector(':scope > :not(article)');
  if (!day || top?.isEqualNode(day)) top ? top.after(article) : list.prepend(article);
  else list.prepend(day.cloneNode(true), article);
}
