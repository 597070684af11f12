/** Newer versions of parts of the page that the reader is using, by id. */
const pendingParts = new Map<string, HTMLElement>();

/** The newest version of a part that this page has, shown or waiting. */
export function latestVersion(id: string): HTMLElement | null {
  return pendingParts.get(id) ?? document.getElementById(id);
}

/**
 * Puts a newer version in the place of the part with its id. One that holds the reader's focus or selection is
 * left alone until `swapWaiting`, unless it must go at once; and so is one whose fold the reader has open, where the
 * newer one has none: what they are reading would be gone.
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

/** Puts in what was waiting and is not in use any more. */
export function replacePendingParts(): void {
  for (const newer of [...pendingParts.values()]) replacePart(newer, false);
}

/** Moves the focus to a part of the page, and nothing else. */
export function focusOn(part: HTMLElement): void {
  part.tabIndex = -1;
  part.focus({ preventScroll: true });
}

const openFoldCount = (part: HTMLElement) => part.querySelectorAll('details[open]').length;
const foldCount = (part: HTMLElement) => part.querySelectorAll('details').length;

/** Does the reader's focus rest within this part (not on it as a whole), or does their selection touch it? */
function isInUse(part: HTMLElement): boolean {
  const { activeElement } = document;
  return (activeElement !== part && part.contains(activeElement)) || isSelected(part);
}

export function isSelected(part: Node): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(part, true);
}
