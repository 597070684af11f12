import { createReadStream } from 'node:fs';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { IMPORT } from '../../i18n/cli.ts';
import { BadFeed } from './read-feed.ts';
import type { Attachment } from './wordpress-pictures.ts';

/** Child elements by name as in the file, such as `wp:comment_id`. */
type WxrFields = Map<string, string>;

/** Fields and metadata of a comment, a post or a term. */
type WxrComment = { fields: WxrFields; meta: WxrFields };

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
  /** Terms of taxonomies of plugins, by taxonomy and slug: `rolling_coverage/storm`. */
  terms: Map<string, WxrComment>;
};

/** Maximum length of a text, in characters. Longer ones are cut here and refused later (MAX_HTML_LENGTH). */
const MAX_TEXT_LENGTH = 200_000;
/** Maximum nesting of elements. An export has five levels. */
const MAX_DEPTH = 40;
/** Bytes of a file that are read to recognise its format. */
export const WXR_HEAD_BYTES = 64 * 1024;

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
  } else if (name === 'wp:term') {
    site.terms.set(`${field('wp:term_taxonomy').trim()}/${field('wp:term_slug').trim()}`, { fields, meta });
  } else if (name === 'language' && outer?.name === 'channel') site.language = text.trim() || undefined;
  else if (['wp:postmeta', 'wp:commentmeta', 'wp:termmeta'].includes(name))
    outer?.meta.set(field('wp:meta_key'), field('wp:meta_value'));
  else if (name === 'category') {
    const [domain = '', nicename = ''] = [attributes.get('domain'), attributes.get('nicename')];
    outer?.categories.push({ domain, nicename, name: text.trim() });
  } else if (name === 'wp:comment') {
    if (field('wp:comment_type') === KIND) outer?.entries.push({ fields, meta });
  } else outer?.fields.set(name, text);
}

/** An entry as it is stored, before changes are combined. */
export type StoredEntry = {
  id: string;
  /** Id of the entry that this one replaces. */
  replaces: string | undefined;
  title: string;
  html: string;
  at: string;
  names: string[];
  isHidden: boolean;
  /** Whether the plugin marked it as a key event. A `/key` command in the text counts too. */
  isKey: boolean;
  isTrashed: boolean;
  /** Id of its featured image. */
  featuredImage?: string | undefined;
};

/** The final version of an entry. */
export type Entry = Pick<StoredEntry, 'id' | 'title' | 'html' | 'at' | 'names' | 'isKey' | 'featuredImage'>;

/** Reads an entry that is stored as a comment (Liveblog 1), identified by its type and approval. */
export function entryOfComment({ fields, meta }: WxrComment, { names }: WxrSite): StoredEntry {
  const field = (key: string) => fields.get(`wp:comment_${key}`)?.trim() ?? '';
  const html = fields.get('wp:comment_content') ?? '';
  const author = field('author') || (names.get(field('user_id')) ?? '');
  return {
    id: field('id'),
    title: '',
    html,
    at: field('date_gmt'),
    ...readMetadata(meta, author, names),
    isTrashed: field('approved') !== KIND,
  };
}

/** Reads an entry that is stored as a child post (Liveblog 2). */
export function entryOfPost({ fields, meta, categories }: WxrItem, { names }: WxrSite): StoredEntry {
  const field = (key: string) => fields.get(`wp:${key}`)?.trim() ?? '';
  const html = fields.get('content:encoded') ?? '';
  const creator = fields.get('dc:creator')?.trim() ?? '';
  const signed = categories.filter(({ domain }) => domain === 'author').map(({ name }) => name);
  const [author = '', ...more] = (signed.length > 0 ? signed : [creator]).map(
    (name) => names.get(name) ?? name,
  );
  const entry = readMetadata(meta, author, names);
  return {
    id: field('post_id'),
    title: fields.get('title')?.trim() ?? '',
    html,
    at: field('post_date_gmt'),
    ...entry,
    names: [...new Set([...entry.names, ...more])],
    isTrashed: field('status') !== 'publish',
    featuredImage: meta.get('_thumbnail_id')?.trim(),
  };
}

/** Reads a file of the media library. */
export function attachmentOfPost({ fields, meta }: WxrItem): Attachment {
  return {
    id: fields.get('wp:post_id')?.trim() ?? '',
    url: fields.get('wp:attachment_url')?.trim() ?? '',
    alt: meta.get('_wp_attachment_image_alt') ?? '',
    caption: fields.get('excerpt:encoded') ?? '',
    // The field of Newspack and of the plugin Media Credit.
    credit: meta.get('_media_credit') ?? '',
  };
}

/** Metadata of an entry, which is the same in both versions. */
function readMetadata(meta: WxrComment['meta'], author: string, names: WxrSite['names']) {
  const others = idsIn(meta.get('liveblog_contributors') ?? '').flatMap((id) => names.get(id) ?? []);
  return {
    replaces: meta.get('liveblog_replaces')?.trim() || undefined,
    names: [...new Set([author, ...others].filter(Boolean))],
    isHidden: isYes(meta.get('liveblog_hide_authors')),
    isKey: isYes(meta.get('liveblog_key_entry')),
  };
}

const isYes = (value: string | undefined) => value === '1' || value === 'true';

/**
 * Whether the text contains the markup of a `/key` command. It checks one span at a time, so that the time stays
 * linear.
 */
const hasKeyCommand = (html: string) =>
  [...html.matchAll(/<span\b([^<>]*)>/gi)].some(([, attributes = '']) =>
    [...attributes.matchAll(/\bclass=["']([^"']*)/gi)].some(
      ([, names = '']) => /\bliveblog-command\b/i.test(names) && /\btype-key\b/i.test(names),
    ),
  );

/** The values of a serialised PHP list: `a:2:{i:0;i:3;i:1;s:1:"5";}`. */
const idsIn = (list: string) =>
  [...list.matchAll(/i:\d+;(?:i:(\d+)|s:\d+:"(\d+)");/g)].map(([, number, text]) => number ?? text ?? '');

/**
 * Combines entries with their changes: the newest text at the time of the first version. A change is an entry that
 * names the one it replaces; an empty change deletes it. The first version may be missing.
 */
export function entriesOf(all: StoredEntry[]): { entries: Entry[]; deleted: number } {
  const byId = new Map(all.map((entry) => [entry.id, entry]));
  const groups = Map.groupBy(all, (entry) => rootOf(entry, byId));
  const entries: Entry[] = [];
  let deleted = 0;
  for (const [id, group] of groups) {
    const first = byId.get(id);
    const shown = group.filter(({ isTrashed }) => !isTrashed).toSorted(byNumber);
    const newest = shown.at(-1);
    const isDeleted = shown.some(({ replaces, html }) => replaces !== undefined && html.trim() === '');
    if (!newest || first?.isTrashed || isDeleted) {
      deleted += 1;
      continue;
    }
    // Authors and key event are stored with the first version.
    const { names, isHidden, at } = first ?? shown[0] ?? newest;
    const { title, html, featuredImage } = newest;
    entries.push({
      id,
      title,
      html,
      at,
      names: isHidden ? [] : names,
      isKey: newest.isKey || first?.isKey === true || hasKeyCommand(html),
      featuredImage,
    });
  }
  return { entries, deleted };
}

/** Follows `replaces` to the id of the first version, which may be missing. */
function rootOf({ id, replaces }: StoredEntry, byId: Map<string, StoredEntry>): string {
  const passed = new Set([id]);
  let at = id;
  for (let next = replaces; next !== undefined && !passed.has(next); next = byId.get(next)?.replaces) {
    passed.add(next);
    at = next;
  }
  return at;
}

const byNumber = (a: StoredEntry, b: StoredEntry) => Number(a.id) - Number(b.id);
