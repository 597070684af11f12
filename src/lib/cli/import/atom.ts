import { XMLValidator } from 'fast-xml-parser';
import { type AtomFeed, parseAtomFeed } from 'feedsmith';
import { type Body, blockText, bodyText } from '../../domain/body/blocks.ts';
import { NestingError } from '../../domain/body/html.ts';
import { IMPORT } from '../../i18n/cli.ts';
import { bodyFromHtml, bodyFromText, LONGEST_HTML } from './bodies.ts';
import { BadFeed, type Feed, type Item, inTimeOrder, isTime } from './feed.ts';

/** Of a line's mark-up: no longer than that its elements cannot stand too deep. */
const LONGEST_LINE = 2_000;

type Atom = AtomFeed.Feed<string>;
type Entry = AtomFeed.Entry<string>;
type Text = AtomFeed.Content;

/** What is wrong with one entry, in a sentence. */
class Wrong extends Error {
  override name = 'Wrong';
}

/**
 * Reads the text of an Atom feed (RFC 4287) whose entries carry their words, as text, HTML or XHTML.
 * @throws BadFeed naming every entry that is wrong
 */
export function readAtom(text: string): Feed {
  const feed = parse(text);
  const base = against(feed.links?.find(({ rel }) => rel === 'self')?.href, undefined);
  const feedBase = against(feed.xml?.base, base);
  const title = feed.title && lineOf(feed.title);
  const mistakes = title ? [] : [IMPORT.title];

  const seen = new Map<string, number>();
  const items = (feed.entries ?? []).flatMap((entry, index) => {
    try {
      return [itemOf(entry, { index, base: feedBase, seen })];
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
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
  const sound = XMLValidator.validate(text);
  if (sound !== true) throw new BadFeed([IMPORT.notXml(sound.err.line)]);
  // Entities of a document's own can make a small file a huge one, and no feed needs any.
  if (hasDocumentType(text)) throw new BadFeed([IMPORT.documentType]);
  try {
    return parseAtomFeed(text);
  } catch {
    throw new BadFeed([IMPORT.notAtom]);
  }
}

/** Outside of comments and quoted text, each of which is left out by its end: a pattern with both ends is slow for what has none. */
function hasDocumentType(text: string): boolean {
  for (let at = 0; ; ) {
    const found = /<!(--|\[CDATA\[|DOCTYPE)/gi;
    found.lastIndex = at;
    const [, kind] = found.exec(text) ?? [];
    if (kind === undefined) return false;
    if (/^d/i.test(kind)) return true;
    const end = text.indexOf(kind === '--' ? '-->' : ']]>', found.lastIndex);
    if (end < 0) return text.slice(found.lastIndex).toUpperCase().includes('<!DOCTYPE');
    at = end;
  }
}

type Setting = {
  /** Where the entry stands in the file. */
  index: number;
  /** The address of the feed. */
  base: string | undefined;
  /** The ids so far, and where they stand. */
  seen: Map<string, number>;
};

function itemOf(entry: Entry, { index, base, seen }: Setting): Item {
  const { id, published = entry.updated } = entry;
  if (!id) throw new Wrong(IMPORT.item.id);
  const known = seen.get(id);
  if (known !== undefined) throw new Wrong(IMPORT.item.sameId(known));
  seen.set(id, index);
  if (!isTime(published)) throw new Wrong(IMPORT.item.published);
  const body = bodyOf(entry.content ?? entry.summary, against(entry.xml?.base, base));
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
  if (content?.src) throw new Wrong(IMPORT.item.contentElsewhere);
  if (!content?.value) throw new Wrong(IMPORT.item.content);
  const body = blocksOf(content.value, content.type, against(content.xml?.base, entryBase));
  if (body.length === 0) throw new Wrong(IMPORT.item.noWords);
  return body;
}

function blocksOf(value: string, type = 'text', base: string | undefined): Body {
  if (value.length > LONGEST_HTML) throw new Wrong(IMPORT.item.contentLong(LONGEST_HTML));
  if (type === 'text' || type === 'text/plain') return bodyFromText(value);
  if (!isHtml(type)) throw new Wrong(IMPORT.item.contentType(type));
  try {
    return bodyFromHtml(value, base);
  } catch (error) {
    if (error instanceof NestingError) throw new Wrong(IMPORT.item.contentDeep);
    throw error;
  }
}

/** Every entry of Atom has a title, also where nobody wrote a headline: then it is how the text begins, or all of it. */
function isBeginning(title: string, body: Body): boolean {
  const paragraphs = body.map((block) => blockText(block).replace(/\s+/g, ' '));
  const lines = `\n${paragraphs.join('\n')}\n`;
  const text = lines.replaceAll('\n', ' ');
  const words = title.replace(/(?:…|\.\.\.)$/, '');
  for (let at = text.indexOf(` ${words}`); at >= 0; at = text.indexOf(` ${words}`, at + 1)) {
    const isAll = lines[at + words.length + 1] === '\n';
    if (lines[at] === '\n' && (isAll || words !== title)) return true;
  }
  return false;
}

/** A title or the like, whose mark-up is dropped. How long it may be is for the database to say. */
function lineOf({ value = '', type = 'text' }: Text): string {
  const words = isHtml(type) ? bodyText(bodyFromHtml(value.slice(0, LONGEST_LINE), undefined)) : value;
  return words.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

const isHtml = (type: string) => /^(x?html|text\/html|application\/xhtml\+xml)$/.test(type);

/** An address as it counts within another one; what is none changes nothing. */
function against(address: string | undefined, base: string | undefined): string | undefined {
  return (address !== undefined && URL.parse(address, base)?.href) || base;
}
