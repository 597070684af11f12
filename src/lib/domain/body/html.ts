import { LIMITS } from '../limits.ts';
import { networkOf, statusTime } from '../posts.ts';
import { machineTime } from '../time.ts';
import {
  type Block,
  type Body,
  blockText,
  displayUrl,
  type List,
  type Media,
  normalizeUrl,
  type Place,
  type Post,
  type Run,
  type Style,
  shorten,
  type Table,
} from './blocks.ts';
import { parseCoordinates } from './coordinates.ts';
import { mediaUrl } from './media-url.ts';
import { normalizeRuns } from './parse-inline.ts';
import { coordinatesLine, isOnEarth, MAP_SIZE, openStreetMapUrl } from './places.ts';
import { mediaTitle, withoutDirections } from './source.ts';
import { writeBody } from './write-source.ts';

/** Maximum nesting of elements. Deeper documents would overflow the call stack. */
const MAX_DEPTH = 1_000;

/** The elements of a document are nested too deeply. */
export class NestingError extends Error {
  override name = 'NestingError';
}

const setOf = (names: string) => new Set(names.split(' '));
const BOLD = setOf('b strong h1 h2 h3 h4 h5 h6 th dt');
const ITALIC = setOf('i em cite dfn var');
/** Elements that start and end a paragraph. */
const BLOCK_ELEMENTS = setOf(
  'address article aside body br dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr html li main nav p pre section summary table tr',
);
/** Elements whose content is not text for readers. */
const IGNORED_ELEMENTS = setOf(
  'audio canvas embed head iframe math noscript object script select style svg template textarea title video',
);

/**
 * Interface to parsed HTML, independent of the parser. Names are in lower case. A missing attribute is an empty
 * string.
 */
export type HtmlNode = { text: string } | HtmlElement;
type HtmlElement = { name: string; attribute(name: string): string; children(): HtmlNode[] };

/**
 * Converts HTML to blocks: paragraphs, lists, quotes, posts and tables with bold, italic and links. The player of a
 * video or recording at a known site, and its address on a line of its own, become a media block; an embedded map with
 * coordinates in its address becomes a map; files of videos and recordings become links. Drops everything else,
 * including images. A table becomes a table block only if each cell is one line and the cells form a grid. Other tables
 * serve the layout of the page, or are too large, and become paragraphs.
 * @param base URL that relative links are resolved against. Without it they become plain text.
 * @param quotedAt time for embedded posts. Without it they are plain quotes
 * @param isCell whether the nodes are in a cell, where tables become paragraphs. Each table is thus read twice at most
 * @throws NestingError
 */
export function htmlToBody(
  nodes: HtmlNode[],
  base: string | undefined,
  quotedAt?: string,
  style: Style = {},
  depth = 0,
  isCell = false,
): Body {
  const body: Body = [];
  let line: Run[] = [];
  /** List that collects consecutive list paragraphs of a word processor. */
  let run: List | undefined;

  const push = (block: Block | undefined) => {
    if (block) body.push(block);
    run = undefined;
  };
  const endLine = () => {
    const runs = normalizeRuns(collapseSpaces(line));
    const media = isCell ? undefined : mediaOf(runs.map(({ text }) => text).join(''));
    if (runs.length > 0) push(media ?? { type: 'paragraph', runs });
    line = [];
  };
  const inner = (element: HtmlElement, style: Style, level: number) =>
    htmlToBody(element.children(), base, quotedAt, style, level + 1, isCell);

  const write = (node: HtmlNode, style: Style, level: number): void => {
    if (level > MAX_DEPTH) throw new NestingError();
    if ('text' in node) {
      line.push({ text: collapseWhitespace(node.text), ...style });
      return;
    }
    const { name } = node;
    const css = node.attribute('style');
    if (HIDDEN_STYLE.test(css)) return;
    if (IGNORED_ELEMENTS.has(name)) {
      const embedded = isCell ? undefined : embeddedIn(node, base);
      if (embedded) {
        endLine();
        push(embedded);
      }
      return;
    }
    if (name === 'ul' || name === 'ol' || name === 'blockquote') {
      endLine();
      push(name === 'blockquote' ? quoteOf(inner(node, {}, level), quotedAt) : listOf(node, style, level));
      return;
    }
    const table = name === 'table' && !isCell ? tableOf(node, base, level) : undefined;
    if (table) {
      endLine();
      push(table);
      return;
    }
    if (LIST_ITEM_STYLE.test(css)) {
      endLine();
      const items = inner(node, style, level).flatMap(listItemsOf);
      const ordered = NUMBERED_MARKER.test(markerOf(node));
      if (run?.ordered === ordered) run.items.push(...items);
      else if (items.length > 0) {
        const list: List = { type: 'list', ordered, items };
        push(list);
        run = list;
      }
      return;
    }
    const isBlock = BLOCK_ELEMENTS.has(name);
    if (isBlock) endLine();
    for (const child of node.children()) write(child, styleIn(node, css, style, base), level + 1);
    // A space separates the cells of a row.
    if (name === 'td' || name === 'th') line.push({ text: ' ', ...style });
    if (isBlock) endLine();
  };

  const listOf = (element: HtmlElement, style: Style, level: number): Block | undefined => {
    // Items of a nested list are appended after the item that contains them.
    const items = inner(element, style, level).flatMap(listItemsOf);
    const ordered = element.name === 'ol';
    return items.length > 0 ? { type: 'list', items, ...(ordered && { ordered }) } : undefined;
  };

  for (const node of nodes) write(node, style, depth);
  endLine();
  return body;
}

/** A shortcode of WordPress around the address of an embedded page. */
const EMBED_SHORTCODE = /^\[embed[^\]]{0,100}\](\S{1,2048})\[\/embed\]$/;

/** Returns the media block of a line that is the address of a video or recording. */
function mediaOf(line: string, title = ''): Media | undefined {
  const text = line.trim();
  const url = mediaUrl(EMBED_SHORTCODE.exec(text)?.[1] ?? text);
  if (!url) return undefined;
  const named = collapseWhitespace(title).trim();
  // Sites name their frame after the player, or after the video.
  const isName = named !== '' && !/player$/i.test(named);
  return { type: 'media', url, title: isName ? shorten(named, LIMITS.link_title) : mediaTitle(url) };
}

/** Returns the block of a player or embedded map, or the link to the file of a video or recording. */
function embeddedIn(element: HtmlElement, base: string | undefined): Block | undefined {
  if (element.name === 'iframe') {
    const [address, title] = [element.attribute('src'), element.attribute('title')];
    const name = collapseWhitespace(withoutDirections(title)).trim();
    return mediaOf(address, title) ?? embeddedPlace(address, name);
  }
  if (element.name !== 'video' && element.name !== 'audio') return undefined;
  const [source] = elementsIn(element, ['source']);
  const file = element.attribute('src') || source?.attribute('src') || '';
  const url = file.trim() && normalizeUrl(URL.parse(file.trim(), base)?.href ?? '');
  return url ? { type: 'link', url, title: displayUrl(url).slice(0, LIMITS.link_title) } : undefined;
}

/** Returns the table, or undefined if it is no grid of lines within the limits. */
function tableOf(element: HtmlElement, base: string | undefined, level: number): Table | undefined {
  const lineOf = (cell: HtmlElement): Run[] | undefined => {
    const [first, ...others] = htmlToBody(cell.children(), base, undefined, {}, level + 1, true);
    if (!first) return [];
    return first.type === 'paragraph' && others.length === 0 ? first.runs : undefined;
  };
  const rows: Run[][][] = [];
  for (const row of elementsIn(element, ['tr'], ['thead', 'tbody', 'tfoot'])) {
    const cells: Run[][] = [];
    for (const cell of elementsIn(row, ['th', 'td'])) {
      const line = Number(cell.attribute('rowspan') || 1) === 1 ? lineOf(cell) : undefined;
      if (!line) return undefined;
      const span = Math.min(Math.max(1, Number(cell.attribute('colspan')) || 1), LIMITS.table_columns + 1);
      cells.push(line, ...Array.from({ length: span - 1 }, () => []));
    }
    if (cells.some((cell) => cell.length > 0)) rows.push(cells);
  }
  const width = Math.max(0, ...rows.map((cells) => cells.length));
  if (rows.length < 2 || width < 2 || rows.length - 1 > LIMITS.table_rows || width > LIMITS.table_columns) {
    return undefined;
  }
  const table: Table = {
    type: 'table',
    rows: rows.map((cells) => Array.from({ length: width }, (_, column) => cells[column] ?? [])),
  };
  const [caption] = elementsIn(element, ['caption']).map((node) => collapseWhitespace(textOf(node)).trim());
  if (caption && [...caption].length > LIMITS.caption) return undefined;
  return caption ? { ...table, caption } : table;
}

/** Returns the children with these names, also those inside of children with one of the names `through`. */
const elementsIn = (element: HtmlElement, names: string[], through: string[] = []): HtmlElement[] =>
  element.children().flatMap((node) => {
    if ('text' in node) return [];
    if (names.includes(node.name)) return [node];
    return through.includes(node.name) ? elementsIn(node, names) : [];
  });

/** Styles of hidden content, and of the bullets and numbers that word processors write before list items. */
const HIDDEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|mso-list\s*:\s*ignore)/i;
/** Style of a paragraph that is a list item in a word processor. */
const LIST_ITEM_STYLE = /(?:^|;)\s*mso-list\s*:\s*(?!ignore|none)\S/i;
const NUMBERED_MARKER = /^\s*\(?[0-9a-z]{1,4}[.)]/i;

/** Returns the bullet or number before a word processor's list item. */
function markerOf(element: HtmlElement): string {
  for (const child of element.children()) {
    if ('text' in child) continue;
    const marker = /mso-list\s*:\s*ignore/i.test(child.attribute('style')) ? textOf(child) : markerOf(child);
    if (marker) return marker;
  }
  return '';
}

const textOf = (node: HtmlNode): string =>
  'text' in node ? node.text : node.children().map(textOf).join('');

function styleIn(
  { name, attribute }: HtmlElement,
  css: string,
  outer: Style,
  base: string | undefined,
): Style {
  let { bold, italic, ...style } = outer;
  if (BOLD.has(name)) bold = true;
  if (ITALIC.has(name)) italic = true;
  // The style wins over the element name: browsers wrap everything that they copy into one <b>.
  const weight = /(?:^|;)\s*font-weight\s*:\s*(\w+)/i.exec(css)?.[1];
  if (weight) bold = /^(?:bold|bolder|[6-9]\d\d)$/i.test(weight);
  const slant = /(?:^|;)\s*font-style\s*:\s*(\w+)/i.exec(css)?.[1];
  if (slant) italic = /^(?:italic|oblique)$/i.test(slant);
  const formatted = { ...style, ...(bold && { bold }), ...(italic && { italic }) };
  if (name !== 'a') return formatted;
  const link = normalizeUrl(URL.parse(attribute('href').trim(), base)?.href ?? '');
  return link ? { ...formatted, link } : formatted;
}

/** Last line of a quote, with its attribution. */
const ATTRIBUTION_LINE = /^(?:—|―|–|--?)\s*(\S[^\n]*)$/;

function quoteOf(content: Body, quotedAt: string | undefined): Block | undefined {
  const lines = content.map((block) => (block.type === 'media' ? block.url : blockText(block)));
  const post = quotedAt && embeddedPost(content, lines, quotedAt);
  if (post) return post;
  const attribution = lines.length > 1 ? ATTRIBUTION_LINE.exec(lines.at(-1) ?? '')?.[1] : undefined;
  if (attribution && [...attribution].length <= LIMITS.attribution) {
    return { type: 'quote', text: lines.slice(0, -1).join('\n'), attribution };
  }
  return content.length > 0 ? { type: 'quote', text: lines.join('\n') } : undefined;
}

/**
 * Returns the post of the code that X and Bluesky offer for embedding. Below the text it has the author, the account in
 * brackets, and the date as a link to the post.
 */
function embeddedPost(content: Body, lines: string[], quotedAt: string): Post | undefined {
  const last = content.at(-1);
  const link = last?.type === 'paragraph' ? last.runs.at(-1)?.link : undefined;
  const named = ATTRIBUTION_LINE.exec(lines.at(-1) ?? '')?.[1] ?? '';
  const [start, end] = [named.lastIndexOf('(@'), named.lastIndexOf(')')];
  const author = withoutDirections(named.slice(0, Math.max(0, start))).trim();
  const handle = withoutDirections(named.slice(start + 1, end));
  const text = lines.slice(0, -1).join('\n');
  if (!link || !/\/(?:status|post)\/\w+$/.test(new URL(link).pathname)) return undefined;
  if (!author || !text || end < start || !/^@[^\s\p{Cc}]+$/u.test(handle)) return undefined;
  if ([author, handle].some((name) => [...name].length > LIMITS.attribution)) return undefined;
  const url = link.replace(/[?#].*/, '');
  const network = networkOf(url);
  const posted = statusTime(url);
  return {
    type: 'post',
    url,
    author,
    handle,
    ...(network && { network }),
    text,
    ...(posted && { posted_at: machineTime(new Date(posted)) }),
    quoted_at: quotedAt,
  };
}

/** Returns the lines of a block as list items. */
function listItemsOf(block: Block): Run[][] {
  if (block.type === 'paragraph') return [block.runs];
  if (block.type === 'list') return block.items;
  if (block.type === 'media') return [[{ text: block.url, link: block.url }]];
  if (block.type === 'map') return [[{ text: block.name, link: openStreetMapUrl(block) }]];
  return blockText(block)
    .split('\n')
    .map((text) => [{ text }]);
}

const collapseWhitespace = (text: string) => text.replace(/[\p{Cc}\s]+/gu, ' ');

/** Removes a leading space from a run if the run before it ends with one. */
function collapseSpaces(runs: Run[]): Run[] {
  return runs.map((run, n) =>
    runs[n - 1]?.text.endsWith(' ') ? { ...run, text: run.text.replace(/^ /, '') } : run,
  );
}

/** Converts a pasted body to Markdown. `isInline` says whether it belongs inside the current line. */
export function pastedMarkdown(body: Body): { markdown: string; isInline: boolean } {
  const blocks = body.map(normalizeBlock);
  return { markdown: writeBody(blocks), isInline: blocks.length === 1 && blocks[0]?.type === 'paragraph' };
}

function normalizeBlock(block: Block): Block {
  if (block.type === 'list') return { ...block, items: block.items.map(trimFormatting) };
  if (block.type === 'table') return { ...block, rows: block.rows.map((cells) => cells.map(trimFormatting)) };
  if (block.type !== 'paragraph') return block;
  const runs = trimFormatting(block.runs);
  const [only, ...others] = runs;
  // A copied URL that links to itself is a link block.
  if (only?.link && others.length === 0 && [only.link, only.link.replace(/\/$/, '')].includes(only.text)) {
    return { type: 'link', url: only.link, title: only.text };
  }
  return { ...block, runs };
}

/** Removes the formatting of leading and trailing white space, because people copy words with the space after them. */
function trimFormatting(runs: Run[]): Run[] {
  const parts = normalizeRuns(runs).flatMap((run) => {
    const { text, ...style } = run;
    const words = text.trim();
    if (words === '') return [{ text: ' ' }];
    const start = text.slice(0, text.indexOf(words));
    const end = text.slice(start.length + words.length);
    return [{ text: start }, { text: words, ...style }, { text: end }];
  });
  return normalizeRuns(parts);
}

/** Google has a domain for each country. */
const GOOGLE_HOST = /^(?:(?:www|maps)\.)?google\.(?:com?\.)?[a-z]{2,3}$/;

/** The middle of the map in the parameter `pb` of Google Maps: longitude before latitude. */
const GOOGLE_MIDDLE = /!2d(-?\d{1,3}(?:\.\d{1,20})?)!3d(-?\d{1,2}(?:\.\d{1,20})?)/;

/** Pixels of a tile of web maps, of which zoom level 0 has one. */
const TILE_PIXELS = 256;

/**
 * Returns the place of an embedded map of OpenStreetMap or Google Maps.
 * @param address of the frame
 * @param title of the frame. Default: the coordinates
 * @returns undefined for another frame, or without coordinates in its address
 */
export function embeddedPlace(address: string, title: string): Place | undefined {
  const url = URL.parse(address.trim(), 'https://localhost');
  const place = url && (openStreetMapPlace(url) ?? googlePlace(url));
  if (!place || !isOnEarth(place)) return undefined;
  return { type: 'map', name: shorten(title, LIMITS.dateline) || coordinatesLine(place), ...place };
}

/** The marker of the map, else its middle. The width of the map tells the zoom level. */
function openStreetMapPlace({ hostname, pathname, searchParams }: URL) {
  if (!/^(?:www\.)?openstreetmap\.org$/.test(hostname) || pathname !== '/export/embed.html') return null;
  const sides = (searchParams.get('bbox') ?? '').split(',').map(Number);
  const [west = 0, south = 0, east = 0, north = 0] = sides;
  const isArea = sides.length === 4 && sides.every(Number.isFinite) && west < east;
  const middle = isArea ? `${average(south, north)}, ${average(west, east)}` : '';
  const place = parseCoordinates(searchParams.get('marker') ?? middle);
  if (!place || !isArea) return place;
  const level = Math.floor(Math.log2((360 * MAP_SIZE.width) / TILE_PIXELS / (east - west)));
  return { ...place, zoom: Math.min(Math.max(1, level), LIMITS.map_zoom) };
}

/** Written without an exponent, as coordinates are. */
const average = (a: number, b: number): string => ((a + b) / 2).toFixed(5);

function googlePlace({ hostname, pathname, searchParams, href }: URL) {
  if (!GOOGLE_HOST.test(hostname) || !/^\/maps(?:\/|$)/.test(pathname)) return null;
  const [, longitude, latitude] = GOOGLE_MIDDLE.exec(searchParams.get('pb') ?? '') ?? [];
  return parseCoordinates(latitude && longitude ? `${latitude}, ${longitude}` : href);
}
