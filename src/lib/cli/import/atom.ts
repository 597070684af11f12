import { type AtomFeed, parseAtomFeed } from 'feedsmith';
import { SaxesParser } from 'saxes';
import { type Body, blockText, bodyText } from '../../domain/body/blocks.ts';
import { NestingError } from '../../domain/body/html.ts';
import { IMPORT } from '../../i18n/cli.ts';
import {
  BadFeed,
  bodyFromHtml,
  bodyFromText,
  type ImportedFeed,
  type Item,
  inTimeOrder,
  isTime,
  MAX_HTML_LENGTH,
} from './feed.ts';

/** Maximum length of a title's markup, in characters. It limits the nesting depth. */
const MAX_TITLE_MARKUP = 2_000;

type Atom = AtomFeed.Feed<string>;
type Entry = AtomFeed.Entry<string>;
type Text = AtomFeed.Content;

/** A mistake in one entry. The message is a sentence. */
class EntryError extends Error {
  override name = 'Wrong';
}

/**
 * Parses an Atom feed (RFC 4287) whose entries contain text, HTML or XHTML.
 * @throws BadFeed with a mistake for every invalid entry
 */
export function readAtom(text: string): ImportedFeed {
  const feed = parse(text);
  const base = resolveUrl(feed.links?.find(({ rel }) => rel === 'self')?.href, undefined);
  const feedBase = resolveUrl(feed.xml?.base, base);
  const title = feed.title && lineOf(feed.title);
  const mistakes = title ? [] : [IMPORT.title];

  const seen = new Map<string, number>();
  const items = (feed.entries ?? []).flatMap((entry, index) => {
    try {
      return [itemOf(entry, { index, base: feedBase, seen })];
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

function parse(text: string): Atom {
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

function itemOf(entry: Entry, { index, base, seen }: EntryContext): Item {
  const { id, published = entry.updated } = entry;
  if (!id) throw new EntryError(IMPORT.item.id);
  const known = seen.get(id);
  if (known !== undefined) throw new EntryError(IMPORT.item.sameId(known));
  seen.set(id, index);
  if (!isTime(published)) throw new EntryError(IMPORT.item.published);
  const body = bodyOf(entry.content ?? entry.summary, resolveUrl(entry.xml?.base, base));
  const title = entry.title && lineOf(entry.title);
  return {
    index,
    id,
    title: title && !isBeginning(title, body) ? title : undefined,
    body,
    authors: (entry.authors ?? []).flatMap(({ name }) => name ?? []),
    tags: (entry.categories ?? []).flatMap(({ term }) => term ?? []),
    publishedAt: new Date(published),
  };
}

function bodyOf(content: Text | undefined, entryBase: string | undefined): Body {
  if (content?.src) throw new EntryError(IMPORT.item.contentElsewhere);
  if (!content?.value) throw new EntryError(IMPORT.item.content);
  const body = blocksOf(content.value, content.type, resolveUrl(content.xml?.base, entryBase));
  if (body.length === 0) throw new EntryError(IMPORT.item.noWords);
  return body;
}

function blocksOf(value: string, type = 'text', base: string | undefined): Body {
  if (value.length > MAX_HTML_LENGTH) throw new EntryError(IMPORT.item.contentLong(MAX_HTML_LENGTH));
  if (type === 'text' || type === 'text/plain') return bodyFromText(value);
  if (!isHtml(type)) throw new EntryError(IMPORT.item.contentType(type));
  try {
    return bodyFromHtml(value, base);
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
  const messages = title.replace(/(?:…|\.\.\.)$/, '');
  for (let at = text.indexOf(` ${messages}`); at >= 0; at = text.indexOf(` ${messages}`, at + 1)) {
    const isAll = lines[at + messages.length + 1] === '\n';
    if (lines[at] === '\n' && (isAll || messages !== title)) return true;
  }
  return false;
}

/** A title as plain text. The database checks its length. */
function lineOf({ value = '', type = 'text' }: Text): string {
  const messages = isHtml(type) ? bodyText(bodyFromHtml(value.slice(0, MAX_TITLE_MARKUP), undefined)) : value;
  return messages.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

const isHtml = (type: string) => /^(x?html|text\/html|application\/xhtml\+xml)$/.test(type);

/** Resolves an address against a base. Returns the base when the address is invalid. */
function resolveUrl(address: string | undefined, base: string | undefined): string | undefined {
  return (address !== undefined && URL.parse(address, base)?.href) || base;
}
