/** A stretch of what was found; `marked` where it is what was looked for. */
export type Stretch = { text: string; marked: boolean };

/** What begins and ends a stretch that was looked for, as the database has it: no text of ours can hold these. */
const BEGINS = '\u0002';
const ENDS = '\u0003';

/** The stretches of a text with its marks. Marks that are out of place mark nothing, and none is ever shown. */
export function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  for (const piece of text.split(BEGINS)) {
    const end = piece.indexOf(ENDS);
    const isFirst = stretches.length === 0 && !text.startsWith(BEGINS);
    const marked = !isFirst && end >= 0 ? piece.slice(0, end) : '';
    add(stretches, marked, true);
    add(stretches, piece.slice(marked.length).replaceAll(ENDS, ''), false);
  }
  return stretches;
}

function add(stretches: Stretch[], text: string, marked: boolean): void {
  const last = stretches.at(-1);
  if (last?.marked === marked) last.text += text;
  else if (text) stretches.push({ text, marked });
}
