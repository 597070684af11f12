import type {
  Blockquote,
  ListItem,
  List as MarkdownList,
  Paragraph as MarkdownParagraph,
  RootContent,
} from 'mdast';
import { LIMITS } from '../limits.ts';
import { mediaFileOf } from '../media-files.ts';
import { machineTime } from '../time.ts';
import {
  type Block,
  type Body,
  displayUrl,
  type Link,
  type Media,
  normalizeUrl,
  type Place,
  type Post,
  type Quote,
  type Run,
  textOf,
} from './blocks.ts';
import { parseGeoUri } from './coordinates.ts';
import { mediaUrl } from './media-url.ts';
import {
  inlineRuns,
  joined,
  normalizeRuns,
  paragraphsFromSource,
  parseTree,
  sourceOf,
} from './parse-inline.ts';
import { tableOf } from './parse-table.ts';

/** Below the address of a video or recording: a line of its title or description. */
const MEDIA_TEXT = /^\s*:(?:\s+(\S.*)?)?$/;
/**
 * Parses the Markdown of an update: paragraphs, **bold**, *italic*, [links](https://…), lists, quotes and tables. A
 * line break starts a new block. A URL alone on its line becomes a link block. Directly below the rows of a table, a
 * line that starts with `: ` is its caption, one with `— ` names its source, one with `@ ` is the time of its data,
 * one with `= ` its preset, and one with `csv: ` the address that its rows are read from. A link with a `geo:` URI alone
 * on its line is a map. A quote whose attribution is a link with the title of a post is that post. The address of a
 * video or recording, or the path of a file of the newsroom, alone on its line is a media block. Directly below it, the
 * first line that starts with `: ` is its title, and the others are its description.
 * @param known link blocks of an earlier version. The same URL keeps its title and description.
 * @param timeZone zone of the times of data. Without it they are in UTC.
 */
export function parseBody(source: string, known: Body = [], timeZone?: string): Body {
  if (isUnparsable(source)) return plainParagraphs(source);
  const links = new Map(
    known.flatMap((block) =>
      block.type === 'link' ? [[mediaUrl(block.url) ?? block.url, block] as const] : [],
    ),
  );
  return parseTree(source).children.flatMap((node) => blocksOf(node, { source, links, timeZone }));
}

/** Context of a parse. */
type Parsing = { source: string; links: Map<string, Link>; timeZone: string | undefined };

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
export function isUnparsable(source: string): boolean {
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

function blocksOf(node: RootContent, parsing: Parsing): Block[] {
  const { source } = parsing;
  switch (node.type) {
    case 'paragraph':
      return mediaIn(node, parsing) ?? paragraphsOf(node, parsing);
    case 'list': {
      if (hasOwnNumbers(node, source)) {
        return node.children.flatMap((item) => paragraphsOfItem(item, parsing));
      }
      const items = itemsOf(node, source);
      return items.length > 0
        ? [{ type: 'list', ordered: node.ordered === true, items }]
        : paragraphsFromSource(node, source);
    }
    case 'blockquote':
      return quoteOf(node, source);
    case 'table': {
      const { table, below } = tableOf(node, source, parsing.timeZone) ?? {};
      if (!below) return paragraphsFromSource(node, source);
      return [...(table ? [table] : []), ...parseBody(below.join('\n'), [...parsing.links.values()])];
    }
    default:
      return paragraphsFromSource(node, source);
  }
}

/** @param marker plain text before the paragraph, such as `21. ` */
function paragraphsOf(node: MarkdownParagraph, { source, links }: Parsing, marker = ''): Block[] {
  const lines = inlineRuns([{ type: 'text', value: marker }, ...node.children], source);
  const sourceLines = `${marker}${sourceOf(node, source)}`.split('\n');
  return lines.flatMap((runs, index): Block[] => {
    // An encoded line break produces more lines than were typed, so lines cannot be matched to the source.
    const url = lines.length === sourceLines.length ? standaloneUrl(sourceLines[index]) : null;
    const place = lines.length === sourceLines.length ? standalonePlace(sourceLines[index]) : null;
    if (place) return [place];
    if (url)
      return [links.get(url) ?? { type: 'link', url, title: displayUrl(url).slice(0, LIMITS.link_title) }];
    return runs.length > 0 ? [{ type: 'paragraph', runs }] : [];
  });
}

/** Returns the blocks of a paragraph that contains the address of a video or recording on its own line. */
function mediaIn(node: MarkdownParagraph, { source, links }: Parsing): Block[] | undefined {
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
  if (url) return mediaUrl(url);
  const path = line.trim();
  return mediaFileOf(path) ? path : null;
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

/** A map: `[School hall](geo:53.69,-0.44?z=16)` alone on its line. */
function standalonePlace(line = ''): Place | null {
  const text = line.trim();
  const [, uri = ''] = /^\[.*\]\((geo:[^\s()]+)\)$/i.exec(text) ?? [];
  const found = parseGeoUri(uri);
  const [paragraph] = found ? parseTree(text).children : [];
  const [link, ...more] = paragraph?.type === 'paragraph' ? paragraph.children : [];
  if (!found || link?.type !== 'link' || more.length > 0) return null;
  const name = joined(inlineRuns(link.children, text)).map((run) => run.text);
  return { type: 'map', name: name.join('').trim(), ...found };
}

/**
 * Whether the items have numbers that a list block would lose, as in `21. November`. A list block counts from 1.
 * Numbers that are all 1 count too, as usual in Markdown.
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
  return joinLines(source.slice(position?.start.offset ?? 0, end?.offset ?? 0));
}

function paragraphsOfItem(item: ListItem, parsing: Parsing): Block[] {
  const [first, ...rest] = item.children;
  if (first?.type !== 'paragraph') return paragraphsFromSource(item, parsing.source);
  return [
    ...paragraphsOf(first, parsing, markerOf(item, parsing.source)),
    ...rest.flatMap((child) => blocksOf(child, parsing)),
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
      else own.push({ text: ` ${joinLines(sourceOf(child, source))} ` });
    }
    const line = normalizeRuns(own);
    return line.length > 0 ? [line, ...nested] : nested;
  });
}

/** Last line of a quote, with its attribution. */
const ATTRIBUTION = /^[>\s]*(?:—|―|--)\s+(?=\S)/;
/** The same line with a link at the place of the name. */
const POST_LINE = /^[>\s]*(?:—|―|--)\s+\[/;
/** The same line without a name in it. */
const EMPTY_ATTRIBUTION = /^[>\s]*(?:—|―|--)\s*$/;

/** Returns the quote or the post of a Markdown quote. Without text, its lines are paragraphs. */
export function quoteOf(node: Blockquote, source: string): Block[] {
  const parts = node.children.map((child) =>
    child.type === 'paragraph'
      ? inlineRuns(child.children, source).map(textOf)
      : sourceOf(child, source)
          .split('\n')
          .map((line) => line.replace(/^[\s>]+/, '')),
  );
  const post = postOf(node, source);
  const attribution = post ? undefined : extractAttribution(node, parts, source);
  if (post) parts.at(-1)?.pop();
  const text = parts
    .map((lines) => lines.join('\n'))
    .join('\n\n')
    .trim();
  if (text === '') return paragraphsFromSource(node, source);
  if (post) return [{ ...post, text }];
  const quote: Quote = { type: 'quote', text };
  return [attribution ? { ...quote, attribution } : quote];
}

/** Removes characters that change the direction of writing, which names beside other words may not have. */
export const withoutDirections = (text: string) =>
  text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');

/** Whether the text is a time as posts have it: UTC, whole seconds. */
function isPostTime(text: string): boolean {
  const isSpelled = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text);
  return isSpelled && !Number.isNaN(Date.parse(text)) && machineTime(text) === text;
}

/**
 * Returns the post that the last line names; its text is in the lines before it. After a dash, the author is a link
 * to the post. The title of the link has the handle, the network, and the times at which the post was posted, quoted
 * and found to be gone: `@ostley Mastodon 2026-11-28T13:58:00Z/2026-11-28T14:02:00Z`. Only the time of the quote is
 * required.
 */
function postOf(node: Blockquote, source: string): Post | undefined {
  const last = node.children.at(-1);
  const link = last?.type === 'paragraph' ? last.children.at(-1) : undefined;
  if (link?.type !== 'link' || !POST_LINE.test(sourceOf(node, source).split('\n').at(-1) ?? ''))
    return undefined;
  const author = withoutDirections(inlineRuns(link.children, source).map(textOf).join(' ')).trim();
  const url = normalizeUrl(link.url);
  const words = withoutDirections(link.title ?? '').split(' ');
  const [posted_at = '', quoted_at = '', gone_at, ...others] = words.pop()?.split('/') ?? [];
  const times = [quoted_at, posted_at || quoted_at, gone_at ?? quoted_at];
  if (!author || !url || others.length > 0 || !times.every(isPostTime)) return undefined;
  const handle = words[0]?.startsWith('@') ? words.shift() : undefined;
  const network = words.join(' ');
  return {
    type: 'post',
    url,
    author,
    ...(handle && { handle }),
    ...(network && { network }),
    text: '',
    ...(posted_at && { posted_at }),
    quoted_at,
    ...(gone_at && { gone_at }),
  };
}

/** Removes the last line if it is the attribution and not the only line. Returns the attribution. */
function extractAttribution(node: Blockquote, parts: string[][], source: string): string | undefined {
  const last = parts.at(-1);
  const sourceLines = sourceOf(node, source).split('\n').at(-1) ?? '';
  if (!last || (parts.length === 1 && last.length === 1)) return undefined;
  if (EMPTY_ATTRIBUTION.test(sourceLines)) last.pop();
  return ATTRIBUTION.test(sourceLines) ? last.pop()?.replace(ATTRIBUTION, '') : undefined;
}

/** Joins the lines of a text. A space at its beginning or end remains. */
const joinLines = (text: string): string => text.replace(/\s+/g, ' ');
