import type { Chosen, Edit } from '../../lib/body/edit.ts';

/** The selection in a text field. */
export function selectionIn({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): Chosen {
  return { text: value, from: selectionStart, to: selectionEnd };
}

/**
 * Inserts an edit as if it had been typed, so that it can be undone. Only `execCommand` does that; without it the text
 * is inserted directly.
 */
export function typeInto(area: HTMLTextAreaElement, { from, to, put, choose }: Edit): void {
  if (area.readOnly || area.disabled) return;
  area.focus();
  area.setSelectionRange(from, to);
  const isDone =
    put === ''
      ? from === to || document.execCommand('delete')
      : document.execCommand('insertText', false, put);
  if (!isDone) {
    area.setRangeText(put, from, to, 'end');
    area.dispatchEvent(new Event('input', { bubbles: true }));
  }
  area.setSelectionRange(...choose);
}

const isGrowthNative = () => CSS.supports('field-sizing', 'content');

/** Makes a field as high as its text where CSS cannot. */
export function growToFit(area: HTMLTextAreaElement): void {
  if (isGrowthNative()) return;
  area.style.blockSize = 'auto';
  area.style.blockSize = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
}
