import { diffArrays } from 'diff';
import { type Block, type Body, type Post, postAuthor, type Run, sameStyle } from './body/blocks.ts';
import { coordinatesLine } from './body/places.ts';

/**
 * Kind of a line of a body. `about` and `site` belong to the link, map or player above them, `source` to the quote,
 * table or post above it. `cells` are a row of a table, `as_of` is the time of its data, `site` its CSV address.
 * `posted`, `quoted` and `gone` are times of the post above them.
 */
type LineKind =
  | 'paragraph'
  | 'item'
  | 'numbered'
  | 'quote'
  | 'source'
  | 'link'
  | 'about'
  | 'site'
  | 'caption'
  | 'cells'
  | 'posted'
  | 'quoted'
  | 'gone'
  | 'as_of'
  | 'preset'
  | 'photo';

/** One line of a body. The text of a photo is its id, that of a time is in UTC, that of a preset is its identifier. */
export type BodyLine = { kind: LineKind; runs: Run[] };

/** Returns the lines of a body, for comparing two versions. */
export const linesOfBody = (body: Body): BodyLine[] => body.flatMap(linesOfBlock);

const line = (kind: LineKind, text: string | undefined): BodyLine[] =>
  text === undefined ? [] : [{ kind, runs: [{ text }] }];

function linesOfBlock(block: Block): BodyLine[] {
  switch (block.type) {
    case 'paragraph':
      return [{ kind: 'paragraph', runs: block.runs }];
    case 'list':
      return block.items.map((runs) => ({ kind: block.ordered ? 'numbered' : 'item', runs }));
    case 'quote':
      return [
        ...block.text.split('\n').flatMap((text) => line('quote', text)),
        ...line('source', block.attribution),
      ];
    case 'link':
      return [
        { kind: 'link', runs: [{ text: block.title, link: block.url }] },
        ...line('about', block.description),
        ...line('site', block.site),
      ];
    case 'media':
      return [
        { kind: 'link', runs: [{ text: block.title, link: block.url }] },
        ...(block.description?.split('\n') ?? []).flatMap((text) => line('about', text)),
      ];
    case 'table':
      return [
        ...line('caption', block.caption),
        ...block.rows.map((cells): BodyLine => ({ kind: 'cells', runs: cellRuns(cells) })),
        ...line('source', block.source),
        ...line('as_of', block.as_of),
        ...line('preset', block.preset),
        ...line('site', block.csv),
      ];
    case 'map':
      return [...line('link', block.name), ...line('about', coordinatesLine(block))];
    case 'post':
      return [
        ...block.text.split('\n').flatMap((text) => line('quote', text)),
        { kind: 'source', runs: [{ text: postSource(block), link: block.url }] },
        ...line('posted', block.posted_at),
        ...line('quoted', block.quoted_at),
        ...line('gone', block.gone_at),
      ];
    case 'photo':
      return line('photo', block.photo);
  }
}

/** Returns author, handle and network of a post in one line. */
const postSource = (post: Post) => [postAuthor(post), post.network].filter(Boolean).join(', ');

/** Returns the cells of a row in one line, with a border between them. */
const cellRuns = (cells: Run[][]): Run[] =>
  cells.flatMap((runs, column) => (column === 0 ? runs : [{ text: ' | ' }, ...runs]));

/** Kinds of lines that are not compared by words. */
const WHOLE: LineKind[] = ['as_of', 'preset', 'posted', 'quoted', 'gone', 'photo'];

/** A word or punctuation mark with its formatting and the white space after it. */
type Word = Run & { space: string };

/** Splits runs into words. Intl.Segmenter also handles languages without spaces between words. */
function splitWords(runs: Run[], language: string): Word[] {
  const words: Word[] = [];
  for (const { text, ...marks } of runs) {
    for (const { segment } of wordSegmenter(language).segment(text)) {
      const last = words.at(-1);
      if (segment.trim() !== '') words.push({ ...marks, text: segment, space: '' });
      else if (last && sameStyle(last, marks)) last.space += segment;
      else words.push({ ...marks, text: '', space: segment });
    }
  }
  return words;
}

/** Compares two words by text and formatting, ignoring the white space after them. */
function isSameWord(a: Run, b: Run): boolean {
  return a.text === b.text && sameStyle(a, b);
}

const segmenters = new Map<string, Intl.Segmenter>();

/** Returns a cached segmenter of words. Languages that the database accepts and Intl does not know are segmented as English. */
export function wordSegmenter(language: string): Intl.Segmenter {
  const known = segmenters.get(language);
  if (known) return known;
  const segmenter = new Intl.Segmenter(isValidLanguage(language) ? language : 'en', { granularity: 'word' });
  segmenters.set(language, segmenter);
  return segmenter;
}

function isValidLanguage(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0;
  } catch {
    return false;
  }
}

/** In both versions, only in the newer one, or only in the older one. */
export type Side = 'same' | 'added' | 'removed';

/** A piece of text with its formatting and the version that contains it. */
export type DiffSpan = Run & { side: Side };

/**
 * A line of a body in two versions. A `changed` line mixes spans of both sides; otherwise all spans have the side of
 * the line.
 */
export type LineDifference = { kind: LineKind; side: Side | 'changed'; spans: DiffSpan[] };

/**
 * Maximum number of word edits in a line. Above it, the line is shown as removed and added, which is clearer and
 * faster.
 */
const MAX_EDITS = 400;

/** Minimum share of common words for two lines to be shown as one changed line. */
const MIN_SIMILARITY = 0.4;

/** Number of following lines to search for the counterpart of a line. */
const LOOKAHEAD = 8;

/**
 * Compares two versions of a body line by line.
 * @param language BCP 47 tag of the text, for finding word boundaries
 */
export function bodyDifference(before: Body, after: Body, language: string): LineDifference[] {
  const changes = diffArrays(linesOfBody(before), linesOfBody(after), { comparator: isSameLine });
  const lines: LineDifference[] = [];
  let removed: BodyLine[] = [];
  let added: BodyLine[] = [];
  const closeGap = () => {
    lines.push(...pairLines(removed, added, language));
    removed = [];
    added = [];
  };
  for (const change of changes) {
    if (change.removed) removed.push(...change.value);
    else if (change.added) added.push(...change.value);
    else {
      closeGap();
      lines.push(...change.value.map((line) => lineOfSide(line, 'same')));
    }
  }
  closeGap();
  return lines;
}

/** Compares two versions of a one-line text, such as a headline. */
export function textDifference(before: string, after: string, language: string): DiffSpan[] {
  return runsDifference(asRuns(before), asRuns(after), language);
}

const asRuns = (text: string): Run[] => (text ? [{ text }] : []);
const isSameLine = (a: BodyLine, b: BodyLine) =>
  a.kind === b.kind && JSON.stringify(a.runs) === JSON.stringify(b.runs);
const lineOfSide = ({ kind, runs }: BodyLine, side: Side): LineDifference => ({
  kind,
  side,
  spans: runs.map((run) => ({ ...run, side })),
});

/** Pairs removed lines with similar added lines. A pair is one changed line. */
function pairLines(removed: BodyLine[], added: BodyLine[], language: string): LineDifference[] {
  const lines: LineDifference[] = [];
  const candidates = added.map((line) => ({ line, words: splitWords(line.runs, language) }));
  let next = 0;
  for (const line of removed) {
    const words = splitWords(line.runs, language);
    const other = candidates
      .slice(next, next + LOOKAHEAD)
      .map(({ line: { kind }, words: theirs }) => (kind === line.kind ? similarity(words, theirs) : 0));
    const best = other.indexOf(Math.max(...other));
    if (WHOLE.includes(line.kind) || (other[best] ?? 0) < MIN_SIMILARITY) {
      lines.push(lineOfSide(line, 'removed'));
      continue;
    }
    for (const { line } of candidates.slice(next, next + best)) lines.push(lineOfSide(line, 'added'));
    const theirs = candidates[next + best]?.line.runs ?? [];
    lines.push({ kind: line.kind, side: 'changed', spans: runsDifference(line.runs, theirs, language) });
    next += best + 1;
  }
  for (const { line } of candidates.slice(next)) lines.push(lineOfSide(line, 'added'));
  return lines;
}

/** Returns the share of words that two lines have in common, 0 to 1. */
function similarity(a: Word[], b: Word[]): number {
  const left = new Map<string, number>();
  for (const { text } of a) left.set(text, (left.get(text) ?? 0) + 1);
  let common = 0;
  for (const { text } of b) {
    const count = left.get(text) ?? 0;
    if (count > 0) {
      left.set(text, count - 1);
      common += 1;
    }
  }
  return a.length + b.length === 0 ? 0 : (2 * common) / (a.length + b.length);
}

function runsDifference(before: Run[], after: Run[], language: string): DiffSpan[] {
  const [a, b] = [splitWords(before, language), splitWords(after, language)];
  const changes = diffArrays(a, b, { comparator: isSameWord, maxEditLength: MAX_EDITS });
  if (!changes) {
    return [
      ...before.map((run) => ({ ...run, side: 'removed' as const })),
      ...after.map((run) => ({ ...run, side: 'added' as const })),
    ];
  }
  const collector = new SpanCollector();
  let [at, now] = [0, 0];
  for (const { value, removed, added } of changes) {
    for (const _ of value) {
      if (added) collector.add(b[now++], 'added');
      else if (removed) collector.add(a[at++], 'removed');
      else collector.addUnchanged(a[at++], b[now++]);
    }
  }
  return collector.end();
}

/** Collects spans. Between two unchanged words it lists the removed text first, then the added text. */
class SpanCollector {
  private readonly done: DiffSpan[] = [];
  private removed: DiffSpan[] = [];
  private added: DiffSpan[] = [];

  add(word: Word | undefined, side: 'added' | 'removed'): void {
    if (!word) return;
    const { text, space, ...marks } = word;
    appendSpan(side === 'added' ? this.added : this.removed, { ...marks, text: text + space, side });
  }

  /** Adds an unchanged word. The white space after it may have changed. */
  addUnchanged(before: Word | undefined, after: Word | undefined): void {
    if (!before || !after) return;
    this.closeGap();
    const { text, space, ...marks } = after;
    const isSpaced = before.space === space;
    appendSpan(this.done, { ...marks, text: isSpaced ? text + space : text, side: 'same' });
    if (isSpaced) return;
    this.add({ ...before, text: '' }, 'removed');
    this.add({ ...after, text: '' }, 'added');
  }

  end(): DiffSpan[] {
    this.closeGap();
    return this.done;
  }

  private closeGap(): void {
    const space = commonSpace(this.removed.at(-1), this.added.at(-1));
    for (const span of [...this.removed, ...this.added]) {
      if (span.text !== '') this.done.push(span);
    }
    if (space) this.done.push(space);
    this.removed = [];
    this.added = [];
  }
}

/** Moves white space that ends both spans into an unchanged span of its own. */
function commonSpace(removed: DiffSpan | undefined, added: DiffSpan | undefined): DiffSpan | undefined {
  if (!removed || !added || !sameStyle(removed, added)) return undefined;
  const [space = ''] = /\s+$/.exec(removed.text) ?? [];
  if (space === '' || /\s+$/.exec(added.text)?.[0] !== space) return undefined;
  removed.text = removed.text.slice(0, -space.length);
  added.text = added.text.slice(0, -space.length);
  return { ...added, text: space, side: 'same' };
}

function appendSpan(spans: DiffSpan[], span: DiffSpan): void {
  if (span.text === '') return;
  const last = spans.at(-1);
  if (last && last.side === span.side && sameStyle(last, span)) {
    last.text += span.text;
  } else spans.push(span);
}
