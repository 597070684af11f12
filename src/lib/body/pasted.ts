import type { Block, Body, Run } from './blocks.ts';
import { tidy } from './runs.ts';
import { writeBody } from './write.ts';

/** What was copied elsewhere as Markdown, and whether it belongs into the line that it is pasted into. */
export function pastedText(body: Body): { markdown: string; isInline: boolean } {
  const blocks = body.map(clean);
  return { markdown: writeBody(blocks), isInline: blocks.length === 1 && blocks[0]?.type === 'paragraph' };
}

function clean(block: Block): Block {
  if (block.type === 'list') return { ...block, items: block.items.map(plainSpaces) };
  if (block.type !== 'paragraph') return block;
  const runs = plainSpaces(block.runs);
  const [only, ...others] = runs;
  // An address that was copied as a link to itself.
  if (only?.link && others.length === 0 && [only.link, only.link.replace(/\/$/, '')].includes(only.text)) {
    return { type: 'link', url: only.link, title: only.text };
  }
  return { ...block, runs };
}

/** White space at the ends of what is marked is not marked: people copy a word with the space after it. */
function plainSpaces(runs: Run[]): Run[] {
  const parted = tidy(runs).flatMap((run) => {
    const { text, ...style } = run;
    const words = text.trim();
    if (words === '') return [{ text: ' ' }];
    const start = text.slice(0, text.indexOf(words));
    const end = text.slice(start.length + words.length);
    return [{ text: start }, { text: words, ...style }, { text: end }];
  });
  return tidy(parted);
}
