/** Newer versions of parts of the page that the reader is using, by id. */
const waiting = new Map<string, HTMLElement>();

/** The newest version of a part that this page has, shown or waiting. */
export function latest(id: string): HTMLElement | null {
  return waiting.get(id) ?? document.getElementById(id);
}

/**
 * Puts a newer version in the place of the part with its id. One that holds the reader's focus or selection is
 * left alone until `swapWaiting`, unless it must go at once; and so is one whose fold the reader has open, where the
 * newer one has none: what they are reading would be gone.
 */
export function swap(fresh: HTMLElement, atOnce: boolean): void {
  const old = document.getElementById(fresh.id);
  waiting.delete(fresh.id);
  if (!old || old.isEqualNode(fresh)) return;
  if (!atOnce && (inUse(old) || unfolded(old) > unfoldable(fresh))) {
    waiting.set(fresh.id, fresh);
    return;
  }
  const folds = old.querySelectorAll('details');
  fresh.querySelectorAll('details').forEach((fold, n) => {
    fold.open = folds[n]?.open ?? fold.open;
  });
  const focused = old.contains(document.activeElement);
  old.replaceWith(fresh);
  if (focused) focusOn(fresh);
}

export const isWaiting = () => waiting.size > 0;

/** Puts in what was waiting and is not in use any more. */
export function swapWaiting(): void {
  for (const fresh of [...waiting.values()]) swap(fresh, false);
}

/** Moves the focus to a part of the page, and nothing else. */
export function focusOn(part: HTMLElement): void {
  part.tabIndex = -1;
  part.focus({ preventScroll: true });
}

const unfolded = (part: HTMLElement) => part.querySelectorAll('details[open]').length;
const unfoldable = (part: HTMLElement) => part.querySelectorAll('details').length;

/** Does the reader's focus rest within this part (not on it as a whole), or does their selection touch it? */
function inUse(part: HTMLElement): boolean {
  const { activeElement } = document;
  return (activeElement !== part && part.contains(activeElement)) || isSelected(part);
}

export function isSelected(part: Node): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
}
