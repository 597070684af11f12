import { createReadStream } from 'node:fs';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { IMPORT } from '../../i18n/cli.ts';
import { BadFeed } from './feed.ts';

/** Child elements by name as in the file, such as `wp:comment_id`. */
type WxrFields = Map<string, string>;

export type WxrComment = { fields: WxrFields; meta: WxrFields };

/** A post of any type with the comments that are liveblog entries. */
export type WxrItem = WxrComment & {
  categories: { domain: string; nicename: string; name: string }[];
  entries: WxrComment[];
};

/** Data before the first item. */
export type WxrSite = {
  language: string | undefined;
  /** Display names by user id and by login. */
  names: Map<string, string>;
};

/** Maximum length of a text, in characters. Longer ones are cut here and refused later (MAX_HTML_LENGTH). */
const MAX_TEXT_LENGTH = 200_000;
/** Maximum nesting of elements. An export has five levels. */
const MAX_DEPTH = 40;
/** Bytes of a file that are read to recognise its format. */
export const HEAD_BYTES = 64 * 1024;

/** The plugin's comment type, which is also the approval state of its entries. */
export const KIND = 'liveblog';

/** Whether the beginning of a file is that of a WordPress export (WXR). */
export function isWxr(head: string): boolean {
  const bare = head.replaceAll(/<!--[\s\S]{0,4000}?-->|<\?[\s\S]{0,4000}?\?>/g, '').trimStart();
  return /^\uFEFF?\s*(?:<!DOCTYPE[\s\S]*?)?<rss\b[^<>]*["']http:\/\/wordpress\.org\/export\/\d/i.test(bare);
}

/**
 * Streams the items of a WordPress export. Only one item is in memory, without comments that are not entries.
 * @param site is filled during reading
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

/** Control characters come from pasted text. XML does not allow them. */
const CONTROL_CHARACTERS = /(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu;

function openParser(site: WxrSite, onItem: (item: WxrItem) => void) {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const frames: Frame[] = [];

  parser.on('doctype', () => {
    throw new BadFeed([IMPORT.documentType]);
  });
  parser.on('opentag', (tag) => {
    if (frames.length >= MAX_DEPTH) throw new BadFeed([IMPORT.notXml(parser.line)]);
    frames.push(frameOf(tag));
  });
  const write = (text: string) => {
    const frame = frames.at(-1);
    if (frame && frame.text.length < MAX_TEXT_LENGTH) frame.text += text;
  };
  parser.on('text', write);
  parser.on('cdata', write);
  parser.on('closetag', () => {
    const frame = frames.pop();
    if (frame) put(frame, frames.at(-1), site, onItem);
  });

  const withXmlErrors = (act: () => void) => {
    try {
      act();
    } catch (error) {
      throw error instanceof BadFeed ? error : new BadFeed([IMPORT.notXml(parser.line)]);
    }
  };
  return {
    write: (text: string) => withXmlErrors(() => parser.write(text.replace(CONTROL_CHARACTERS, ''))),
    end: () => withXmlErrors(() => parser.close()),
  };
}

/** An open element. */
type Frame = { name: string; text: string; attributes: WxrFields } & WxrItem;

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

/** Adds a closed element's content to its parent. */
function put(frame: Frame, outer: Frame | undefined, site: WxrSite, onItem: (item: WxrItem) => void): void {
  const { name, text, fields, meta, attributes, categories, entries } = frame;
  const field = (key: string) => fields.get(key) ?? '';
  if (name === 'item') onItem({ fields, meta, categories, entries });
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
