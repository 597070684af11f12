import type {
  Blockquote,
  ListItem,
  List as MarkdownList,
  Paragraph as MarkdownParagraph,
  Table as MarkdownTable,
  Node,
  PhrasingContent,
  RootContent,
} from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { LIMITS } from '../limits.ts';
import {
  type Alignment,
  type Block,
  type Body,
  displayUrl,
  type Link,
  type Media,
  normalizeUrl,
  type Quote,
  type Run,
  type Style,
  sameStyle,
  type Table,
  textOf,
} from './blocks.ts';
import { mediaUrl } from './media-url.ts';

/** Returns the part of the source that a node was parsed from, exactly as typed. */
function sourceOf(node: Node, source: string): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

/**
 * Converts inline Markdown to lines of runs. A line may be empty. Everything except bold, italic and valid links
 * stays as typed. A link without text shows its URL.
 * @param source the source that the nodes were parsed from
 */
function inlineRuns(nodes: PhrasingContent[], source: string): Run[][] {
  return styledLines(nodes, source, {}).map(normalizeRuns);
}

function styledLines(nodes: PhrasingContent[], source: string, style: Style): Run[][] {
  const lines: Run[][] = [[]];
  for (const node of nodes) {
    const [first = [], ...rest] = linesOfNode(node, source, style);
    lines.at(-1)?.push(...first);
    lines.push(...rest);
  }
  return lines;
}

function linesOfNode(node: PhrasingContent, source: string, style: Style): Run[][] {
  switch (node.type) {
    case 'text':
      return plainLines(node.value, style);
    case 'break':
      return [[], []];
    case 'strong':
      return styledLines(node.children, source, { ...style, bold: true });
    case 'emphasis':
      return styledLines(node.children, source, { ...style, italic: true });
    case 'link': {
      const link = normalizeUrl(node.url);
      // A run has no place for a title.
      if (!link || node.title) return plainLines(sourceOf(node, source), style);
      if (node.children.length === 0) return plainLines(displayUrl(link), { ...style, link });
      return styledLines(node.children, source, { ...style, link });
    }
    default:
      return plainLines(sourceOf(node, source), style);
  }
}

function plainLines(text: string, style: Style): Run[][] {
  return text.split(/\r\n?|\n/).map((line) => [{ text: line.replace(/\p{Cc}/gu, ' '), ...style }]);
}

/** Normalises runs for the database: no empty runs, adjacent runs of one style joined, no white space at the ends. */
export function normalizeRuns(runs: Run[]): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last && sameStyle(last, run)) last.text += run.text;
    else if (run.text !== '') result.push({ ...run });
  }
  trimStart(result);
  trimEnd(result);
  return result;
}

function trimStart(runs: Run[]): void {
  for (let first = runs[0]; first; first = runs[0]) {
    first.text = first.text.trimStart();
    if (first.text !== '') return;
    runs.shift();
  }
}

function trimEnd(runs: Run[]): void {
  for (let last = runs.at(-1); last; last = runs.at(-1)) {
    last.text = last.text.trimEnd();
    if (last.text !== '') return;
    runs.pop();
  }
}

/** Markdown constructs that a body has no block for. They stay plain text, so that no text is lost. */
const PLAIN = [
  'headingAtx',
  'setextUnderline',
  'thematicBreak',
  'codeFenced',
  'codeIndented',
  'codeText',
  'htmlFlow',
  'htmlText',
  'definition',
];

/** Below the rows of a table: the line with its caption, and the line that names the source of its data. */
const TABLE_CAPTION = /^:\s+(?=\S)/;
const TABLE_SOURCE = /^(?:—|―|--)\s+(?=\S)/;
/** Below the address of a video or recording: a line of its title or description. */
const MEDIA_TEXT = /^\s*:(?:\s+(\S.*)?)?$/;
/** A border between two cells. In a text it is escaped. */
const CELL_BORDER = /(?<!\\)\|/;

/** Last line of a quote, with its attribution. */
const ATTRIBUTION = /^[>\s]*(?:—|―|--)\s+(?=\S)/;
/** The same line without a name in it. */
const EMPTY_ATTRIBUTION = /^[>\s]*(?:—|―|--)\s*$/;

/**
 * Parses the Markdown of an update: paragraphs, **bold**, *italic*, [links](https://…), lists, quotes and tables. A line
 * break starts a new block. A URL alone on its line becomes a link block. Directly below the rows of a table, a line that
 * starts with `: ` is its caption, and one that starts with `— ` names its source. The address of a video or recording
 * alone on its line becomes a media block. Directly below it, the first line that starts with `: ` is its title, and the
 * others are its description.
 * @param known link blocks of an earlier version. The same URL keeps its title and description.
 */
export function parseBody(source: string, known: Body = []): Body {
  if (isUnparsable(source)) return plainParagraphs(source);
  const tree = fromMarkdown(source, PARSER);
  const links = new Map(
    known.flatMap((block) =>
      block.type === 'link' ? [[mediaUrl(block.url) ?? block.url, block] as const] : [],
    ),
  );
  return tree.children.flatMap((node) => blocksOf(node, source, links));
}

const PARSER = {
  extensions: [{ disable: { null: PLAIN } }, gfmTable()],
  mdastExtensions: [gfmTableFromMarkdown()],
};

/** Length of the longest valid body: all characters used, and the longest URL in every block. */
const MAX_SOURCE_LENGTH = LIMITS.body_characters + LIMITS.body_blocks * LIMITS.url;
/** Length from which marks are counted. Thousands of unclosed marks keep the parser busy for minutes. */
const MARK_CHECK_LENGTH = 2 * LIMITS.body_characters;
/** At most one in this many characters of a real text is a mark. */
const MIN_CHARACTERS_PER_MARK = 5;

/**
 * Detects text that is too long for any update or consists mostly of marks. The database rejects it for its length,
 * so it is kept as plain text without parsing.
 */
function isUnparsable(source: string): boolean {
  if (source.length <= MARK_CHECK_LENGTH) return false;
  // An underscore within a word is not a mark. Many URLs contain one.
  const marks = source.length - source.replace(/[*>[]|\b_|_\b/g, '').length;
  return source.length > MAX_SOURCE_LENGTH || marks * MIN_CHARACTERS_PER_MARK > source.length;
}

const plainParagraphs = (source: string): Body =>
  source.split('\n').flatMap((line) => {
    const text = line.trim();
    return text === '' ? [] : [{ type: 'paragraph' as const, runs: [{ text }] }];
  });

function blocksOf(node: RootContent, source: string, links: Map<string, Link>): Block[] {
  switch (node.type) {
    case 'paragraph':
      return mediaIn(node, source, links) ?? paragraphsOf(node, source, links);
    case 'list': {
      if (hasOwnNumbers(node, source)) {
        return node.children.flatMap((item) => paragraphsOfItem(item, source, links));
      }
      const items = itemsOf(node, source);
      return items.length > 0
        ? [{ type: 'list', ordered: node.ordered === true, items }]
        : paragraphsFromSource(node, source);
    }
    case 'blockquote':
      return quoteOf(node, source);
    case 'table':
      return tableOf(node, source);
    default:
      return paragraphsFromSource(node, source);
  }
}

/** @param marker plain text before the paragraph, such as `21. ` */
function paragraphsOf(
  node: MarkdownParagraph,
  source: string,
  links: Map<string, Link>,
  marker = '',
): Block[] {
  const lines = inlineRuns([{ type: 'text', value: marker }, ...node.children], source);
  const sourceLines = `${marker}${sourceOf(node, source)}`.split('\n');
  return lines.flatMap((runs, index): Block[] => {
    // An encoded line break produces more lines than were typed, so lines cannot be matched to the source.
    const url = lines.length === sourceLines.length ? standaloneUrl(sourceLines[index]) : null;
    if (url)
      return [links.get(url) ?? { type: 'link', url, title: displayUrl(url).slice(0, LIMITS.link_title) }];
    return runs.length > 0 ? [{ type: 'paragraph', runs }] : [];
  });
}

/** Returns the blocks of a paragraph that contains the address of a video or recording on its own line. */
function mediaIn(node: MarkdownParagraph, source: string, links: Map<string, Link>): Block[] | undefined {
  const lines = sourceOf(node, source).split('\n');
  if (!lines.some(standaloneMedia)) return undefined;
  const blocks: Block[] = [];
  let text: string[] = [];
  const endText = () => {
    blocks.push(...parseBody(text.join('\n'), [...links.values()]));
    text = [];
  };
  while (lines.length > 0) {
    const line = lines.shift() ?? '';
    const url = standaloneMedia(line);
    if (url) {
      endText();
      const end = lines.findIndex((below) => !MEDIA_TEXT.test(below));
      const about = lines.splice(0, end < 0 ? lines.length : end);
      blocks.push(mediaOf(url, about, links.get(url)));
    } else text.push(line);
  }
  endText();
  return blocks;
}

const standaloneMedia = (line: string): string | null => {
  const url = standaloneUrl(line);
  return url && mediaUrl(url);
};

/** A title that is too long becomes part of the description. */
function mediaOf(url: string, about: string[], known: Link | undefined): Media {
  const texts = about.map((line) => (MEDIA_TEXT.exec(line)?.[1] ?? '').replace(/\p{Cc}/gu, ' ').trim());
  const first = texts.findIndex((text) => text !== '');
  const typed = texts[first] ?? '';
  const isTitle = typed !== '' && [...typed].length <= LIMITS.link_title;
  const title = isTitle ? typed : (first < 0 && known?.title) || mediaTitle(url);
  const description =
    first < 0
      ? known?.description
      : texts
          .slice(isTitle ? first + 1 : first)
          .join('\n')
          .trim();
  return { type: 'media', url, title, ...(description && { description }) };
}

/** The title of a video or recording without one. */
export const mediaTitle = (url: string): string => displayUrl(url);

function standaloneUrl(line = ''): string | null {
  const text = line.trim().replace(/^<(.*)>$/, '$1');
  return /^https?:\/\/\S+$/i.test(text) ? normalizeUrl(text) : null;
}

/**
 * Whether the items have numbers that a list block would lose, as in `21. November`. A list block counts from 1. Numbers
 * that are all 1 count too, as usual in Markdown.
 */
function hasOwnNumbers(list: MarkdownList, source: string): boolean {
  return (
    list.ordered === true &&
    list.children.some((item, index) => ![1, index + 1].includes(Number.parseInt(markerOf(item, source), 10)))
  );
}

/** Returns the bullet or number of an item as typed, with a space after it unless the item is empty. */
function markerOf({ position, children }: ListItem, source: string): string {
  const end = children[0]?.position?.start ?? position?.end;
  return oneLine(source.slice(position?.start.offset ?? 0, end?.offset ?? 0));
}

function paragraphsOfItem(item: ListItem, source: string, links: Map<string, Link>): Block[] {
  const [first, ...rest] = item.children;
  if (first?.type !== 'paragraph') return paragraphsFromSource(item, source);
  return [
    ...paragraphsOf(first, source, links, markerOf(item, source)),
    ...rest.flatMap((child) => blocksOf(child, source, links)),
  ];
}

/** An item holds one line, so its lines are joined. Items of a nested list follow the item that contains them. */
function itemsOf(list: MarkdownList, source: string): Run[][] {
  const keepsNumbers = hasOwnNumbers(list, source);
  return list.children.flatMap((item) => {
    const own: Run[] = keepsNumbers ? [{ text: markerOf(item, source) }] : [];
    const nested: Run[][] = [];
    for (const child of item.children) {
      if (child.type === 'list') nested.push(...itemsOf(child, source));
      else if (child.type === 'paragraph') own.push(...joined(inlineRuns(child.children, source)));
      else own.push({ text: ` ${oneLine(sourceOf(child, source))} ` });
    }
    const line = normalizeRuns(own);
    return line.length > 0 ? [line, ...nested] : nested;
  });
}

function joined(lines: Run[][]): Run[] {
  return lines.flatMap((line) => [...line, { text: ' ' }]);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function quoteOf(node: Blockquote, source: string): Block[] {
  const parts = node.children.map((child) =>
    child.type === 'paragraph'
      ? inlineRuns(child.children, source).map(textOf)
      : sourceOf(child, source)
          .split('\n')
          .map((line) => line.replace(/^[\s>]+/, '')),
  );
  const attribution = extractAttribution(node, parts, source);
  const text = parts
    .map((lines) => lines.join('\n'))
    .join('\n\n')
    .trim();
  if (text === '') return paragraphsFromSource(node, source);
  const quote: Quote = { type: 'quote', text };
  return [attribution ? { ...quote, attribution } : quote];
}

/** Removes the last line if it is the attribution and not the only line. Returns the attribution. */
function extractAttribution(node: Blockquote, parts: string[][], source: string): string | undefined {
  const last = parts.at(-1);
  const sourceLines = sourceOf(node, source).split('\n').at(-1) ?? '';
  if (!last || (parts.length === 1 && last.length === 1)) return undefined;
  if (EMPTY_ATTRIBUTION.test(sourceLines)) last.pop();
  return ATTRIBUTION.test(sourceLines) ? last.pop()?.replace(ATTRIBUTION, '') : undefined;
}

/**
 * Lines without `|` directly below the rows are not cells, although Markdown reads them as such: they are the caption, the
 * source, or text after the table. Short rows get empty cells.
 */
function tableOf(node: MarkdownTable, source: string): Block[] {
  const lines = node.children.map((row) =>
    sourceOf(row, source)
      .replace(/\p{Cc}/gu, ' ')
      .trim(),
  );
  const count = lines.findLastIndex((line) => CELL_BORDER.test(line)) + 1;
  const cells = node.children
    .slice(0, count)
    .map((row) => row.children.map((cell) => normalizeRuns(joined(inlineRuns(cell.children, source)))));
  const width = Math.max(...cells.map((row) => row.length));
  const rows = cells.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? []));
  const after = lines.slice(count);
  if (rows.length < 2) return paragraphsFromSource(node, source);
  if (rows.flat(2).length === 0) return parseBody(after.join('\n'));
  const table: Table = { type: 'table', rows };
  const align = rows[0]?.map((_, column) => alignmentOf(node.align?.[column])) ?? [];
  if (align.some((alignment) => alignment !== 'start')) table.align = align;
  for (const [field, start] of [
    ['caption', TABLE_CAPTION],
    ['source', TABLE_SOURCE],
  ] as const) {
    if (start.test(after[0] ?? '')) table[field] = after.shift()?.replace(start, '').replaceAll('\\|', '|');
  }
  return [table, ...parseBody(after.join('\n'))];
}

const alignmentOf = (align: 'left' | 'right' | 'center' | null | undefined): Alignment =>
  align === 'center' ? 'center' : align === 'right' ? 'end' : 'start';

function paragraphsFromSource(node: RootContent, source: string): Block[] {
  return sourceOf(node, source)
    .split('\n')
    .map((text) => normalizeRuns([{ text: text.replace(/\p{Cc}/gu, ' ') }]))
    .filter((runs) => runs.length > 0)
    .map((runs) => ({ type: 'paragraph', runs }));
}
