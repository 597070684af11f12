import {
  type Block,
  type Body,
  blockText,
  type List,
  oneLine,
  type Paragraph,
  photoIds,
  type Run,
  shorten,
  type Table,
  tablesOf,
  textOf,
} from './blocks.ts';

/** Part of a body that a list of updates shows. */
export type FoldedBody = {
  shown: Body;
  /** Shown when the reader unfolds the update. */
  folded: Body;
  /** Whether the update's own page has more text. */
  more: boolean;
  /** Kinds of content besides text that only the update's own page has. Without `more` there is nothing else. */
  omitted?: Omitted[];
};

/** What an excerpt leaves out besides text. `rows`: those of a table whose first rows it shows. */
export type Omitted = 'table' | 'rows' | 'media' | 'map' | 'post' | 'photo';

/** Returns what `shown`, the beginning of a body, leaves out besides text. */
export function omittedFrom(body: Body, shown: Body): Omitted[] {
  const [all, begun] = [tablesOf(body), tablesOf(shown)];
  const isCut = begun.some((table, index) => table.rows.length < (all[index]?.rows.length ?? 0));
  return [
    ...(isCut ? ['rows' as const] : []),
    ...(['table', 'media', 'map', 'post'] as const).filter(
      (type) => countOf(shown, type) < countOf(body, type),
    ),
    ...(photoIds(shown).length < photoIds(body).length ? ['photo' as const] : []),
  ];
}

const countOf = (body: Body, type: Block['type']) => body.filter((block) => block.type === type).length;

/** Number of characters of an update that a list shows before it folds the rest. */
export const FOLD_AFTER = 1500;

/** Number of rows of a table, without the names of its columns, that a list shows before it folds the rest. */
const FOLD_AFTER_ROWS = 12;
/** A table with at most this many rows is not folded. */
const MAX_UNFOLDED_ROWS = 15;

/** A body may exceed the limit by this factor before it is folded, so that no reader unfolds only a few words. */
const TOLERANCE = 1.2;
/** Minimum number of characters to start another block with. */
const MIN_PART_LENGTH = 60;

/**
 * Splits a long body into a shown and a folded part. The folded part is empty if the body is short enough. Splits
 * between blocks; a block that is too long is split between items or sentences. No text is lost.
 */
export function fold(body: Body, after = FOLD_AFTER): { shown: Body; folded: Body } {
  const isShort = body.reduce((sum, block) => sum + lengthOf(block), 0) <= after * TOLERANCE;
  if (isShort && !body.some(isLongTable)) return { shown: body, folded: [] };
  const shown: Body = [];
  let available = after;
  for (const [index, block] of body.entries()) {
    const length = lengthOf(block);
    if (length > available || isLongTable(block)) {
      const [first, second] =
        index === 0 || available >= MIN_PART_LENGTH ? splitBlock(block, available) : [[], [block]];
      const [start, rest] = index === 0 && first.length === 0 ? [[block], []] : [first, second];
      return { shown: [...shown, ...start], folded: [...rest, ...body.slice(index + 1)] };
    }
    shown.push(block);
    available -= length;
  }
  return { shown, folded: [] };
}

/**
 * Returns the beginning of a body with at most about `most` characters. A first block that cannot be split is
 * replaced by its first words as plain text.
 */
export function truncateBody(body: Body, maxLength: number): { shown: Body; more: boolean } {
  const { shown, folded } = fold(body, maxLength);
  const [first] = shown;
  if (first && lengthOf(first) > maxLength * TOLERANCE)
    return { shown: truncateBlock(first, maxLength), more: true };
  return { shown, more: folded.length > 0 };
}

/** Number of characters that a photo or player counts as. Its markup takes about as many bytes. */
const PHOTO_LENGTH = 150;
/** Number of characters that the coordinates and addresses of a map count as. */
const MAP_LENGTH = 100;
/** Number of characters that the markup of a cell counts as. Compression leaves a small part of it. */
const CELL_LENGTH = 3;
/** Number of characters that the markup and the times of a post count as. */
const POST_LENGTH = 60;
/** A post of at most this length is not split, because its beginning would read as the whole post. */
const MAX_WHOLE_POST_LENGTH = 800;
/** Part of a URL that does not count towards the length. Most URLs are shorter. */
const FREE_URL_LENGTH = 80;

/**
 * Returns the length of a block in characters of text. Its markup counts. The part of a URL over the free length
 * counts too.
 */
function lengthOf(block: Block): number {
  if (block.type === 'photo') return PHOTO_LENGTH;
  const words = [...blockText(block)].length + markupLength(block);
  return urlsOf(block).reduce((sum, url) => sum + Math.max(0, url.length - FREE_URL_LENGTH), words);
}

function markupLength(block: Block): number {
  switch (block.type) {
    case 'table':
      return block.rows.flat().length * CELL_LENGTH;
    case 'map':
      return MAP_LENGTH;
    case 'post':
      return POST_LENGTH;
    case 'media':
      return PHOTO_LENGTH;
    default:
      return 0;
  }
}

function urlsOf(block: Block): string[] {
  if (block.type === 'link' || block.type === 'post' || block.type === 'media') return [block.url];
  return runsOf(block).flatMap(({ link }) => link ?? []);
}

function runsOf(block: Block): Run[] {
  if (block.type === 'paragraph') return block.runs;
  if (block.type === 'list') return block.items.flat();
  return block.type === 'table' ? block.rows.flat(2) : [];
}

/** Splits a block: the part that fits into `room` characters (empty if the block cannot be split), and the rest. */
function splitBlock(block: Block, available: number): [Block[], Block[]] {
  switch (block.type) {
    case 'paragraph': {
      const text = textOf(block.runs);
      const cut = sentenceEnd(text, available);
      const first = sliceParagraph(block, 0, cut);
      if (cut === 0 || lengthOf(first) > available) return [[], [block]];
      return [[first], [sliceParagraph(block, cut, text.length)]];
    }
    case 'list': {
      const first = firstItems(block, available);
      // A second ordered list would start counting at 1 again, so ordered lists are not split.
      if (first.items.length === 0 || block.ordered) return [[], [block]];
      return [[first], [{ ...block, items: block.items.slice(first.items.length) }]];
    }
    case 'table': {
      const [first, rest] = splitTable(block, available);
      return rest ? [first ? [first] : [], [rest]] : [[block], []];
    }
    case 'media': {
      const { description = '', ...player } = block;
      const room = available - lengthOf(player);
      if (description === '' || room < 0) return [[], [block]];
      const cut = sentenceEnd(description, room);
      const start = description.slice(0, cut).trim();
      return [[start ? { ...player, description: start } : player], paragraphsOf(description.slice(cut))];
    }
    case 'quote': {
      const cut = sentenceEnd(block.text, available);
      if (cut === 0) return [[], [block]];
      return [
        [{ type: 'quote', text: block.text.slice(0, cut) }],
        [{ ...block, text: block.text.slice(cut) }],
      ];
    }
    case 'post': {
      if (lengthOf(block) <= MAX_WHOLE_POST_LENGTH) return [[], [block]];
      // The first part names the author. The other one continues the text.
      const cut = sentenceEnd(block.text, available);
      if (cut === 0) return [[], [block]];
      return [
        [{ ...block, text: block.text.slice(0, cut) }],
        [{ type: 'quote', text: block.text.slice(cut) }],
      ];
    }
    default:
      return [[], [block]];
  }
}

/** Returns lines of text as paragraphs. */
const paragraphsOf = (text: string): Body =>
  text.split('\n').flatMap((line) => (line.trim() ? [{ type: 'paragraph', runs: [{ text: line }] }] : []));

const SENTENCE_ENDS = /[.?!…]['"’”»)]*\s+|[。！？…]+[」』”]*/gu;

/**
 * Returns the end of the last sentence within `room` characters, or of the last word if there is none; 0 if there is
 * neither.
 */
function sentenceEnd(text: string, available: number): number {
  const within = text.slice(0, available);
  const ends = [...within.matchAll(SENTENCE_ENDS)].map(({ 0: end, index }) => index + end.length);
  const last = ends.at(-1) ?? 0;
  return last > available / 3 ? last : within.lastIndexOf(' ') + 1;
}

function firstItems(list: List, available: number): List {
  const upTo = (count: number): List => ({ ...list, items: list.items.slice(0, count) });
  const tooLong = list.items.findIndex((_, index) => lengthOf(upTo(index + 1)) > available);
  return tooLong < 0 ? list : upTo(tooLong);
}

const isLongTable = (block: Block) => block.type === 'table' && block.rows.length - 1 > MAX_UNFOLDED_ROWS;

/** Both parts name the columns. The first has the caption, source and time, unless not a single row fits into it. */
function splitTable(table: Table, available: number): [Table | undefined, Table | undefined] {
  const { caption, source, as_of, stale, ...rest } = table;
  const [names = [], ...rows] = table.rows;
  const firstRows = (count: number): Table => ({ ...table, rows: [names, ...rows.slice(0, count)] });
  const most = isLongTable(table) ? FOLD_AFTER_ROWS : rows.length;
  const tooLong = rows.slice(0, most).findIndex((_, index) => lengthOf(firstRows(index + 1)) > available);
  const count = tooLong < 0 ? most : tooLong;
  if (count === 0) return [undefined, table];
  return [
    firstRows(count),
    count < rows.length ? { ...rest, rows: [names, ...rows.slice(count)] } : undefined,
  ];
}

function sliceParagraph(paragraph: Paragraph, from: number, to: number): Block {
  const runs: Run[] = [];
  let at = 0;
  for (const run of paragraph.runs) {
    const text = run.text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (text) runs.push({ ...run, text });
    at += run.text.length;
  }
  return { type: 'paragraph', runs };
}

function truncateBlock(block: Block, maxLength: number): Body {
  const items = block.type === 'list' ? firstItems(block, maxLength) : null;
  if (items && items.items.length > 0) return [items];
  const [rows] = block.type === 'table' ? splitTable(block, maxLength) : [];
  if (rows) return [rows];
  const text = shorten(oneLine(blockText(block)), maxLength);
  return text ? [{ type: 'paragraph', runs: [{ text }] }] : [];
}
