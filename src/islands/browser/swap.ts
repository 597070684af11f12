/** Newer versions of parts that are in use, by id. */
const pendingParts = new Map<string, HTMLElement>();

/** The newest known version of a part, shown or pending. */
export function latestVersion(id: string): HTMLElement | null {
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
