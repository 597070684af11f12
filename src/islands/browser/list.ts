import { latestVersion, replacePart } from './swap.ts';

const numberOf = (article: HTMLElement) => Number(article.dataset.number);
/** Seq of the last change: an added photo makes no new version. */
const seqOf = (article: HTMLElement) => Number(article.dataset.seq);
export const isWithdrawn = (article: HTMLElement) => article.classList.contains('withdrawn');

/** An update's element and the heading of its day. */
export type Update = { article: HTMLElement; day: HTMLElement | undefined };

export type UpdateList = {
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
export function openList(list: HTMLElement): UpdateList {
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
