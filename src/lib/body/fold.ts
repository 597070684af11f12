import type { Block, Body, Paragraph, Run } from './blocks.ts';
import { blockText } from './text.ts';

/** Characters of an update that a list shows before it folds the rest. */
const FOLD_AFTER = 1500;

/**
 * A long body in two parts: what is shown, and what is folded (empty when all of it is short enough). Cut between
 * blocks, or between two sentences where a single paragraph is too long by itself.
 */
export function fold(body: Body, after = FOLD_AFTER): { shown: Body; folded: Body } {
  const shown: Body = [];
  let room = after;
  for (const [index, block] of body.entries()) {
    const length = [...blockText(block)].length;
    if (length > room) {
      const [first, second] = index === 0 ? halves(block, room) : [[], [block]];
      return { shown: [...shown, ...first], folded: [...second, ...body.slice(index + 1)] };
    }
    shown.push(block);
    room -= length;
  }
  return { shown, folded: [] };
}

/** A block that is too long by itself: only a paragraph can be cut, anything else stays whole and is shown. */
function halves(block: Block, room: number): [Block[], Block[]] {
  if (block.type !== 'paragraph') return [[block], []];
  const text = block.runs.map((run) => run.text).join('');
  const cut = lastSentenceEnd(text, room);
  if (cut === 0) return [[block], []];
  return [[part(block, 0, cut)], [part(block, cut, text.length)]];
}

/** Where the last whole sentence (or, failing that, word) within the room ends; 0 where there is none. */
function lastSentenceEnd(text: string, room: number): number {
  const within = text.slice(0, room);
  const sentence = Math.max(...['. ', '? ', '! ', '… '].map((end) => within.lastIndexOf(end)));
  return sentence > room / 3 ? sentence + 2 : within.lastIndexOf(' ') + 1;
}

function part(paragraph: Paragraph, from: number, to: number): Paragraph {
  const runs: Run[] = [];
  let at = 0;
  for (const run of paragraph.runs) {
    const text = run.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (text) runs.push({ ...run, text });
    at += run.text.length;
  }
  return { type: 'paragraph', runs };
}
