import { createReadStream } from 'node:fs';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { IMPORT } from '../../i18n/cli.ts';
import { BadFeed } from './feed.ts';

/** What a comment, or a post beside it, says of itself: names as the file has them, `wp:comment_id`. */
export type Fields = Map<string, string>;

export type WxrComment = { fields: Fields; meta: Fields };

/** A post of any kind with the comments that are entries of a liveblog. */
export type WxrItem = WxrComment & {
  categories: { domain: string; nicename: string; name: string }[];
  entries: WxrComment[];
};

/** What stands before the items. */
export type WxrSite = {
  language: string | undefined;
  /** Names of people by their ids and by what they sign in with. */
  names: Map<string, string>;
};

/** Of one text; more is no update, and what is cut off is told as too long (LONGEST_HTML). */
const LONGEST_TEXT = 200_000;
/** Elements in one another. An export has five. */
const DEEPEST = 40;
/** What a file must begin with to be looked at. */
export const HEAD_BYTES = 64 * 1024;

/** The plugin's own kind of comment, in its type and where others say that they are approved. */
export const KIND = 'liveblog';

/** Is it a WordPress export (WXR), by its beginning? */
export function isWxr(head: string): boolean {
  const bare = head.replaceAll(/<!--[\s\S]{0,4000}?-->|<\?[\s\S]{0,4000}?\?>/g, '').trimStart();
  return /^\uFEFF?\s*(?:<!DOCTYPE[\s\S]*?)?<rss\b[^<>]*["']http:\/\/wordpress\.org\/export\/\d/i.test(bare);
}

/**
 * The items of a WordPress export, one after the other: however long the file, one item is held at a time, and of its
 * comments those alone that are entries.
 * @param site is filled while the file is read
 * @throws BadFeed
 */
export async function* wxrItems(path: string, site: WxrSite): AsyncGenerator<WxrItem> {
  const ready: WxrItem[] = [];
  const parser = openParser(site, (item) => ready.push(item));
  for await (const chunk of createReadStream(path, 'utf8')) {
    parser.write(chunk as string);
    yield* ready.splice(0);
  }
  parser.end();
  yield* ready.splice(0);
}

/** What control characters there are in an export come from pasting: XML has no place for them, nor has a text. */
const UNWRITTEN = /(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu;

function openParser(site: WxrSite, found: (item: WxrItem) => void) {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const frames: Frame[] = [];

  parser.on('doctype', () => {
    throw new BadFeed([IMPORT.documentType]);
  });
  parser.on('opentag', (tag) => {
    if (frames.length >= DEEPEST) throw new BadFeed([IMPORT.notXml(parser.line)]);
    frames.push(frameOf(tag));
  });
  const write = (text: string) => {
    const frame = frames.at(-1);
    if (frame && frame.text.length < LONGEST_TEXT) frame.text += text;
  };
  parser.on('text', write);
  parser.on('cdata', write);
  parser.on('closetag', () => {
    const frame = frames.pop();
    if (frame) put(frame, frames.at(-1), site, found);
  });

  const told = (act: () => void) => {
    try {
      act();
    } catch (error) {
      throw error instanceof BadFeed ? error : new BadFeed([IMPORT.notXml(parser.line)]);
    }
  };
  return {
    write: (text: string) => told(() => parser.write(text.replace(UNWRITTEN, ''))),
    end: () => told(() => parser.close()),
  };
}

/** An element that is not at its end yet. */
type Frame = { name: string; text: string; attributes: Fields } & WxrItem;

const NAMESPACES: [RegExp, string][] = [
  [/^http:\/\/wordpress\.org\/export\/[\d.]+\/$/, 'wp:'],
  [/^http:\/\/wordpress\.org\/export\/[\d.]+\/excerpt\/$/, 'excerpt:'],
  [/^http:\/\/purl\.org\/rss\/1\.0\/modules\/content\/$/, 'content:'],
  [/^http:\/\/purl\.org\/dc\/elements\/1\.1\/$/, 'dc:'],
  [/^$/, ''],
];

function frameOf({ uri, local, attributes }: SaxesTagNS): Frame {
  const prefix = NAMESPACES.find(([namespace]) => namespace.test(uri))?.[1] ?? '?:';
  return {
    name: `${prefix}${local}`,
    text: '',
    attributes: new Map(Object.values(attributes).map(({ name, value }) => [name, value])),
    fields: new Map(),
    meta: new Map(),
    categories: [],
    entries: [],
  };
}

/** Gives what an element holds to the one that it stands in. */
function put(frame: Frame, outer: Frame | undefined, site: WxrSite, found: (item: WxrItem) => void): void {
  const { name, text, fields, meta, attributes, categories, entries } = frame;
  const field = (key: string) => fields.get(key) ?? '';
  if (name === 'item') found({ fields, meta, categories, entries });
  else if (name === 'wp:author') {
    const shown = field('wp:author_display_name') || field('wp:author_login');
    for (const key of ['wp:author_id', 'wp:author_login']) site.names.set(field(key), shown);
  } else if (name === 'language' && outer?.name === 'channel') site.language = text.trim() || undefined;
  else if (name === 'wp:postmeta' || name === 'wp:commentmeta')
    outer?.meta.set(field('wp:meta_key'), field('wp:meta_value'));
  else if (name === 'category') {
    const [domain = '', nicename = ''] = [attributes.get('domain'), attributes.get('nicename')];
    outer?.categories.push({ domain, nicename, name: text.trim() });
  } else if (name === 'wp:comment') {
    if (field('wp:comment_type') === KIND) outer?.entries.push({ fields, meta });
  } else outer?.fields.set(name, text);
}
