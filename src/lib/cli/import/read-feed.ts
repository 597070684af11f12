import { type AtomFeed, parseAtomFeed } from 'feedsmith';
import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import { SaxesParser } from 'saxes';
import { type Body, blockText, bodyText } from '../../domain/body/blocks.ts';
import { type HtmlNode, htmlToBody, NestingError } from '../../domain/body/html.ts';
import { machineTime } from '../../domain/time.ts';
import { IMPORT } from '../../i18n/cli.ts';
import type { ItemPictures } from './wordpress-pictures.ts';

/** https://www.jsonfeed.org/version/1.1/ */
const VERSION = 'https://jsonfeed.org/version/1.1';

type Json = Record<string, unknown>;

/**
 * Parses a JSON Feed 1.1 whose items have `content_text`.
 * @throws BadFeed with a mistake for every invalid item
 */
export function readJsonFeed(text: string): ImportedFeed {
  const feed = parseJson(text);
  const mistakes: string[] = [];
  if (feed.version !== VERSION) mistakes.push(IMPORT.version(VERSION));
  if (!isText(feed.title)) mistakes.push(IMPORT.title);
  for (const key of ['description', 'language']) {
    if (feed[key] !== undefined && typeof feed[key] !== 'string') mistakes.push(IMPORT.notText(key));
  }
  const items = Array.isArray(feed.items) ? feed.items : [];
  if (!Array.isArray(feed.items)) mistakes.push(IMPORT.noItems);

  const seen = new Map<unknown, number>();
  items.forEach((item: unknown, index) => {
    if (isWithdrawn(item)) return;
    const wrong = isObject(item) ? wrongOf(item, seen) : [IMPORT.item.object];
    mistakes.push(
      ...wrong.map((what) => IMPORT.wrongItem(index, isObject(item) ? item.id : undefined, what)),
    );
    if (isObject(item) && !seen.has(item.id)) seen.set(item.id, index);
  });
  if (mistakes.length > 0) throw new BadFeed(mistakes);

  return {
    title: feed.title as string,
    description: feed.description as string | undefined,
    language: feed.language as string | undefined,
    items: inTimeOrder(items.flatMap((item, index) => (isWithdrawn(item) ? [] : [itemOfJson(item, index)]))),
  };
}

function parseJson(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadFeed([IMPORT.notJson((error as Error).message)]);
  }
  if (!isObject(value)) throw new BadFeed([IMPORT.notFeed]);
  return value;
}

function wrongOf(item: Json, seen: Map<unknown, number>): string[] {
  const { id, date_published: date, content_text: text, title, authors, tags } = item;
  const known = seen.get(id);
  return [
    !isText(id) && IMPORT.item.id,
    known !== undefined && IMPORT.item.sameId(known),
    !isTime(date) && IMPORT.item.date,
    !isText(text) && IMPORT.item.text,
    title !== undefined && typeof title !== 'string' && IMPORT.item.title,
    authors !== undefined && !(Array.isArray(authors) && authors.every(isAuthor)) && IMPORT.item.authors,
    tags !== undefined &&
      !(Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) &&
      IMPORT.item.tags,
  ].filter((what) => what !== false);
}

function itemOfJson(value: unknown, index: number): Item {
  const item = value as Json;
  return {
    index,
    id: item.id as string,
    title: (item.title as string | undefined)?.trim() || undefined,
    body: bodyFromText(item.content_text as string),
    authors: ((item.authors ?? []) as { name?: string }[]).flatMap(({ name }) => name?.trim() || []),
    tags: (item.tags ?? []) as string[],
    publishedAt: new Date(item.date_published as string),
  };
}

/** Whether Stoppress marked the item as withdrawn. It has no text then. */
const isWithdrawn = (item: unknown) =>
  isObject(item) && isObject(item._stoppress) && item._stoppress.withdrawn === true;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const isAuthor = (value: unknown) =>
  isObject(value) && (value.name === undefined || typeof value.name === 'string');

/**
 * Parses a JSON Feed 1.1 or an Atom feed. The first character decides which.
 * @throws BadFeed with a mistake for every invalid item
 */
export function readFeed(text: string): ImportedFeed {
  const written = text.replace(/^\uFEFF/, '').trimStart();
  return written.startsWith('<') ? readAtom(written) : readJsonFeed(written);
}

/** The content of a feed, independent of its format. */
export type ImportedFeed = {
  title: string;
  description: string | undefined;
  language: string | undefined;
  /** In order of time; items of the same second in the order of writing. */
  items: Item[];
};

export type Item = {
  /** Position of the item in the file, from 0. */
  index: number;
  id: string;
  title: string | undefined;
  body: Body;
  /** The pictures of the text, where they can become photos. */
  pictures?: ItemPictures | undefined;
  /** Names of the authors. */
  authors: string[];
  tags: string[];
  publishedAt: Date;
};

/** The file was refused. One sentence for each mistake. */
export class BadFeed extends Error {
  override name = 'BadFeed';
  readonly mistakes: string[];
  constructor(mistakes: string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

/** RFC 3339: date, time and zone. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value));

/** Sorts by time. Most feeds are newest first, so items of the same second are reversed there. */
export function inTimeOrder(items: Item[]): Item[] {
  const [first, last] = [items[0], items.at(-1)];
  const newestFirst = first && last && first.publishedAt > last.publishedAt;
  const written = newestFirst ? items.toReversed() : items;
  return written.toSorted((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime());
}

/** In characters. Longer texts are not updates, and the limit bounds the cost of a hostile file. */
export const MAX_HTML_LENGTH = 100_000;

/**
 * Converts HTML to blocks.
 * @param base for relative links; without it they become plain text
 * @param quotedAt time for embedded posts; without it they are plain quotes
 * @throws NestingError
 */
export function bodyFromHtml(html: string, base: string | undefined, quotedAt?: string): Body {
  return htmlToBody(parseFragment(html).childNodes.flatMap(readable), base, quotedAt);
}

function readable(node: DefaultTreeAdapterMap['childNode']): HtmlNode[] {
  if (!('tagName' in node)) return 'value' in node ? [{ text: node.value }] : [];
  return [
    {
      name: node.tagName,
      attribute: (name) => node.attrs.find((attribute) => attribute.name === name)?.value ?? '',
      children: () => node.childNodes.flatMap(readable),
    },
  ];
}

/** Converts plain text to paragraphs. A blank line ends a paragraph; a single line break is a space. */
export function bodyFromText(text: string): Body {
  return text
    .split(/\r?\n[^\S\r\n]*(?:\r?\n\s*)+/)
    .map((paragraph) => paragraph.replace(/[\p{Cc}\s]+/gu, ' ').trim())
    .filter(Boolean)
    .map((paragraph) => ({ type: 'paragraph', runs: [{ text: paragraph }] }));
}

/** Maximum length of a title's markup, in characters. It limits the nesting depth. */
const MAX_TITLE_MARKUP = 2_000;

type Atom = AtomFeed.Feed<string>;
type Entry = AtomFeed.Entry<string>;
type Text = AtomFeed.Content;

/** A mistake in one entry. The message is a sentence. */
class EntryError extends Error {
  override name = 'EntryError';
}

/**
 * Parses an Atom feed (RFC 4287) whose entries contain text, HTML or XHTML.
 * @throws BadFeed with a mistake for every invalid entry
 */
function readAtom(text: string): ImportedFeed {
  const feed = parseXml(text);
  const base = resolveUrl(feed.links?.find(({ rel }) => rel === 'self')?.href, undefined);
  const feedBase = resolveUrl(feed.xml?.base, base);
  const title = feed.title && lineOf(feed.title);
  const mistakes = title ? [] : [IMPORT.title];

  const seen = new Map<string, number>();
  const items = (feed.entries ?? []).flatMap((entry, index) => {
    try {
      return [itemOfEntry(entry, { index, base: feedBase, seen })];
    } catch (error) {
      if (!(error instanceof EntryError)) throw error;
      mistakes.push(IMPORT.wrongItem(index, entry.id, error.message));
      return [];
    }
  });
  if (mistakes.length > 0) throw new BadFeed(mistakes);

  return {
    title: title ?? '',
    description: feed.subtitle && lineOf(feed.subtitle),
    language: feed.xml?.lang,
    items: inTimeOrder(items),
  };
}

function parseXml(text: string): Atom {
  const validator = new SaxesParser({ position: true });
  // Entity definitions can expand a small file to a huge one, and feeds do not need them.
  validator.on('doctype', () => {
    throw new BadFeed([IMPORT.documentType]);
  });
  try {
    validator.write(text).close();
  } catch (error) {
    throw error instanceof BadFeed ? error : new BadFeed([IMPORT.notXml(validator.line)]);
  }
  try {
    return parseAtomFeed(text);
  } catch {
    throw new BadFeed([IMPORT.notAtom]);
  }
}

type EntryContext = {
  /** Position of the entry in the file. */
  index: number;
  /** Address of the feed. */
  base: string | undefined;
  /** Position of each id that was read. */
  seen: Map<string, number>;
};

function itemOfEntry(entry: Entry, { index, base, seen }: EntryContext): Item {
  const { id, published = entry.updated } = entry;
  if (!id) throw new EntryError(IMPORT.item.id);
  const known = seen.get(id);
  if (known !== undefined) throw new EntryError(IMPORT.item.sameId(known));
  seen.set(id, index);
  if (!isTime(published)) throw new EntryError(IMPORT.item.published);
  const publishedAt = new Date(published);
  const body = bodyOf(
    entry.content ?? entry.summary,
    resolveUrl(entry.xml?.base, base),
    machineTime(publishedAt),
  );
  const title = entry.title && lineOf(entry.title);
  return {
    index,
    id,
    title: title && !isBeginning(title, body) ? title : undefined,
    body,
    authors: (entry.authors ?? []).flatMap(({ name }) => name ?? []),
    tags: (entry.categories ?? []).flatMap(({ term }) => term ?? []),
    publishedAt,
  };
}

function bodyOf(content: Text | undefined, entryBase: string | undefined, quotedAt: string): Body {
  if (content?.src) throw new EntryError(IMPORT.item.contentElsewhere);
  if (!content?.value) throw new EntryError(IMPORT.item.content);
  const body = blocksOf(content.value, content.type, resolveUrl(content.xml?.base, entryBase), quotedAt);
  if (body.length === 0) throw new EntryError(IMPORT.item.noWords);
  return body;
}

function blocksOf(value: string, type = 'text', base: string | undefined, quotedAt: string): Body {
  if (value.length > MAX_HTML_LENGTH) throw new EntryError(IMPORT.item.contentLong(MAX_HTML_LENGTH));
  if (type === 'text' || type === 'text/plain') return bodyFromText(value);
  if (!isHtml(type)) throw new EntryError(IMPORT.item.contentType(type));
  try {
    return bodyFromHtml(value, base, quotedAt);
  } catch (error) {
    if (error instanceof NestingError) throw new EntryError(IMPORT.item.contentDeep);
    throw error;
  }
}

/** Whether a title repeats the beginning of the text. Atom requires a title, so programs without headlines do that. */
function isBeginning(title: string, body: Body): boolean {
  const paragraphs = body.map((block) => blockText(block).replace(/\s+/g, ' '));
  const lines = `\n${paragraphs.join('\n')}\n`;
  const text = lines.replaceAll('\n', ' ');
  const beginning = title.replace(/(?:…|\.\.\.)$/, '');
  for (let at = text.indexOf(` ${beginning}`); at >= 0; at = text.indexOf(` ${beginning}`, at + 1)) {
    const isAll = lines[at + beginning.length + 1] === '\n';
    if (lines[at] === '\n' && (isAll || beginning !== title)) return true;
  }
  return false;
}

/** A title as plain text. The database checks its length. */
function lineOf({ value = '', type = 'text' }: Text): string {
  const text = isHtml(type) ? bodyText(bodyFromHtml(value.slice(0, MAX_TITLE_MARKUP), undefined)) : value;
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

const isHtml = (type: string) => /^(x?html|text\/html|application\/xhtml\+xml)$/.test(type);

/** Resolves an address against a base. Returns the base when the address is invalid. */
function resolveUrl(address: string | undefined, base: string | undefined): string | undefined {
  return (address !== undefined && URL.parse(address, base)?.href) || base;
}
