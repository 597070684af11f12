import { type RefObject, useEffect } from 'react';
import { placesOf } from '../../../lib/desk/found.ts';

/** Name of the highlight in the style sheet. */
const NAME = 'found';

/** Highlights search matches in the list with the CSS Custom Highlight API, where the browser supports it. */
export function useSearchHighlights(list: RefObject<HTMLElement | null>, query: string): void {
  // Runs after every rendering, because the rows may have changed.
  useEffect(() => {
    if (!('highlights' in CSS) || !list.current || query === '') return;
    CSS.highlights.set(NAME, new Highlight(...rangesIn(list.current, query.split(' '))));
    return () => {
      CSS.highlights.delete(NAME);
    };
  });
}

function rangesIn(list: HTMLElement, query: string[]): Range[] {
  const ranges: Range[] = [];
  for (const part of list.querySelectorAll('.words, .row-line .by')) {
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      for (const [from, to] of placesOf(text.textContent ?? '', query)) {
        const range = new Range();
        range.setStart(text, from);
        range.setEnd(text, to);
        ranges.push(range);
      }
    }
  }
  return ranges;
}
