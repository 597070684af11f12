import { latestVersion, replacePart } from './swap.ts';

const numberOf = (article: HTMLElement) => Number(article.dataset.number);
/** The last change of it: a photo that arrives makes no new version. */
const seqOf = (article: HTMLElement) => Number(article.dataset.seq);
export const isWithdrawn = (article: HTMLElement) => article.classList.contains('withdrawn');

/** An update of the page, and the heading of its day. */
export type Update = { article: HTMLElement; day: HTMLElement | undefined };

export type UpdateList = {
  /** Takes in an update as it now is. True when it is a new one, published and now held. */
  receive(update: Update): boolean;
  /** How many new updates are held, tombstones not counted. */
  held(): number;
  /** Puts in what is held, in the order of numbers; answers the newest. */
  insertHeld(): HTMLElement | undefined;
  /** When the newest update that stands was published; empty when none does. */
  newestTime(): string;
};

/**
 * The list of updates on the page, newest first. An update stands on it once, and never as it was before
 * what was seen already; an update older than the page belongs to another page.
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

/** Puts an update above all others: under the heading on top if that is its day's, else under a new one. */
function insertAtTop(list: HTMLElement, { article, day }: Update): void {
  const top = list.querySelector(':scope > :not(article)');
  if (!day || top?.isEqualNode(day)) top ? top.after(article) : list.prepend(article);
  else list.prepend(day.cloneNode(true), article);
}
