import { type Block, type Body, blockText, type List, type Paragraph, type Run, shorten } from './blocks.ts';

/** What a list shows of a body. */
export type Folding = {
  shown: Body;
  /** Stands folded below it. */
  folded: Body;
  /** There is more on the update's own page. */
  more: boolean;
};

/** Characters of an update that a list shows before it folds the rest. */
export const FOLD_AFTER = 1500;

/** What is longer by no more than this is whole all the same: a fifth is not worth asking for. */
const A_LITTLE = 1.2;
/** Fewer characters than these are no beginning of a block. */
const FEW_WORDS = 60;

/**
 * A long body in two parts: what is shown, and what is folded (empty when all of it is short enough). Cut between
 * blocks; where one block is too long by itself, between its items or sentences. Nothing is lost.
 */
export function fold(body: Body, after = FOLD_AFTER): { shown: Body; folded: Body } {
  if (body.reduce((sum, block) => sum + lengthOf(block), 0) <= after * A_LITTLE)
    return { shown: body, folded: [] };
  const shown: Body = [];
  let room = after;
  for (const [index, block] of body.entries()) {
    const length = lengthOf(block);
    if (length > room) {
      const [first, second] = index === 0 || room >= FEW_WORDS ? halves(block, room) : [[], [block]];
      const [begun, rest] = index === 0 && first.length === 0 ? [[block], []] : [first, second];
      return { shown: [...shown, ...begun], folded: [...rest, ...body.slice(index + 1)] };
    }
    shown.push(block);
    room -= length;
  }
  return { shown, folded: [] };
}

/**
 * How a body begins, in at most so many characters whatever it is made of: what is too long by itself and cannot be
 * cut is told by its first words, without its address.
 */
export function beginning(body: Body, most: number): { shown: Body; more: boolean } {
  const { shown, folded } = fold(body, most);
  const [first] = shown;
  if (first && lengthOf(first) > most * A_LITTLE) return { shown: cutDown(first, most), more: true };
  return { shown, more: folded.length > 0 };
}

/** Characters that a block without words counts for: about what the place of a photo weighs. */
const PHOTO = 150;
/** Characters of an address that count as nothing: most are no longer. */
const ADDRESS = 80;

/** How long a block is, in characters of what is read; addresses that are longer than usual count too. */
function lengthOf(block: Block): number {
  if (block.type === 'photo') return PHOTO;
  const words = [...blockText(block)].length;
  return addressesOf(block).reduce((sum, address) => sum + Math.max(0, address.length - ADDRESS), words);
}

function addressesOf(block: Block): string[] {
  if (block.type === 'link') return [block.url];
  const runs = block.type === 'paragraph' ? block.runs : block.type === 'list' ? block.items.flat() : [];
  return runs.flatMap(({ link }) => link ?? []);
}

/** A block that is too long for the room: as much of it as fits (nothing, where it cannot be cut), and the rest. */
function halves(block: Block, room: number): [Block[], Block[]] {
  switch (block.type) {
    case 'paragraph': {
      const text = block.runs.map((run) => run.text).join('');
      const cut = sentenceEnd(text, room);
      const first = part(block, 0, cut);
      if (cut === 0 || lengthOf(first) > room) return [[], [block]];
      return [[first], [part(block, cut, text.length)]];
    }
    case 'list': {
      const first = firstItems(block, room);
      // The items of an ordered list go by their numbers: a second part would begin again at 1.
      if (first.items.length === 0 || block.ordered) return [[], [block]];
      return [[first], [{ ...block, items: block.items.slice(first.items.length) }]];
    }
    case 'quote': {
      const cut = sentenceEnd(block.text, room);
      if (cut === 0) return [[], [block]];
      return [
        [{ type: 'quote', text: block.text.slice(0, cut) }],
        [{ ...block, text: block.text.slice(cut) }],
      ];
    }
    default:
      return [[], [block]];
  }
}

const SENTENCE_ENDS = /[.?!…]['"’”»)]*\s+|[。！？…]+[」』”]*/gu;

/** Where the last whole sentence (or, failing that, word) within the room ends; 0 where there is none. */
function sentenceEnd(text: string, room: number): number {
  const within = text.slice(0, room);
  const ends = [...within.matchAll(SENTENCE_ENDS)].map(({ 0: end, index }) => index + end.length);
  const last = ends.at(-1) ?? 0;
  return last > room / 3 ? last : within.lastIndexOf(' ') + 1;
}

function firstItems(list: List, room: number): List {
  const upTo = (count: number): List => ({ ...list, items: list.items.slice(0, count) });
  const tooLong = list.items.findIndex((_, index) => lengthOf(upTo(index + 1)) > room);
  return tooLong < 0 ? list : upTo(tooLong);
}

function part(paragraph: Paragraph, from: number, to: number): Block {
  const runs: Run[] = [];
  let at = 0;
  for (const run of paragraph.runs) {
    const text = run.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (text) runs.push({ ...run, text });
    at += run.text.length;
  }
  return { type: 'paragraph', runs };
}

function cutDown(block: Block, most: number): Body {
  const items = block.type === 'list' ? firstItems(block, most) : null;
  if (items && items.items.length > 0) return [items];
  const text = shorten(blockText(block).replace(/\s+/g, ' ').trim(), most);
  return text ? [{ type: 'paragraph', runs: [{ text }] }] : [];
}
