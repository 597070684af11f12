import { createReadStream } from 'node:fs';
import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { Body } from '../../domain/body/blocks.ts';
import { embeddedPlace, type HtmlNode, htmlToBody } from '../../domain/body/html.ts';
import { mediaUrl } from '../../domain/body/media-url.ts';
import { IMPORT } from '../../i18n/cli.ts';
import { BadFeed } from './read-feed.ts';

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
};

/** The final version of an entry. */
export type Entry = Pick<StoredEntry, 'id' | 'title' | 'html' | 'at' | 'names' | 'isKey'>;

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
    const { title, html } = newest;
    entries.push({
      id,
      title,
      html,
      at,
      names: isHidden ? [] : names,
      isKey: newest.isKey || first?.isKey === true || hasKeyCommand(html),
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

type Node = DefaultTreeAdapterMap['childNode'];
type Element = DefaultTreeAdapterMap['element'];

/**
 * Converts a WordPress text to blocks: HTML with line breaks, bare addresses and shortcodes. Pictures and embeds become
 * links.
 * @param base for relative links
 * @param quotedAt time for embedded posts; without it they are plain quotes
 * @throws NestingError
 */
export function bodyFromWordPress(html: string, base: string | undefined, quotedAt?: string): Body {
  return htmlToBody(readAll(parseFragment(withoutShortcodes(html)).childNodes, {}), base, quotedAt);
}

/* Shortcodes are limited to 2,000 characters, because a text can contain a thousand unterminated ones. */

/** Shortcodes that enclose text, which stays. */
const ENCLOSING_SHORTCODE = /(?<!\[)\[(\/?)(?:caption|wp_caption|embed)\b[^\]]{0,2000}\](?!\])/gi;
/** Shortcodes that are replaced by the addresses they contain. */
const REPLACED_SHORTCODE =
  /(?<!\[)\[(video|audio|playlist|gallery|youtube|vimeo|tweet|instagram|facebook|soundcloud|liveblog_key_events)\b([^\]]{0,2000})\](?:\s*\[\/\1\])?(?!\])/gi;
const ADDRESS = /https?:\/\/[^\s"'<>\]”]+/g;

/** Unknown shortcodes stay, because they may be the author's own text. */
function withoutShortcodes(html: string): string {
  return html
    .replace(ENCLOSING_SHORTCODE, '\n')
    .replace(REPLACED_SHORTCODE, (_, _name, said: string) => `\n${said.match(ADDRESS)?.join('\n') ?? ''}\n`);
}

/** Links cannot be nested, and line breaks in `pre` stay in the text. */
type NodeContext = { inLink?: boolean; isPreformatted?: boolean };

const readAll = (nodes: Node[], context: NodeContext): HtmlNode[] =>
  nodes.flatMap((node) => read(node, context));

function read(node: Node, context: NodeContext): HtmlNode[] {
  if ('tagName' in node) return readElement(node, context);
  if (!('value' in node)) return [];
  const lines = context.isPreformatted ? [node.value] : node.value.split(/\r?\n/);
  return lines.flatMap((line, n) => [...(n > 0 ? [LINE_END] : []), ...withLinks(line, context)]);
}

/** Elements that embed other content, and those that contain its address. */
const EMBEDS = new Set(['iframe', 'embed', 'video', 'audio', 'source']);

function readElement(element: Element, context: NodeContext): HtmlNode[] {
  const { tagName: name, childNodes } = element;
  const attribute = (attributeName: string) =>
    element.attrs.find(({ name }) => name === attributeName)?.value ?? '';
  if (name === 'img') return imageLink(attribute, context);
  if (EMBEDS.has(name)) {
    const inside = readAll(childNodes, context);
    const src = attribute('src');
    const isBlock = name === 'iframe' && (embeddedPlace(src, '') ?? mediaUrl(src));
    // A map or player becomes a block of its own, which a link cannot contain.
    if (isBlock && !context.inLink) {
      return [{ name, attribute, children: () => [] }];
    }
    return src ? [link(src, attribute('title') || src, context), ...inside] : inside;
  }
  // The plugin hides commands that it has executed.
  if (/(?:^|\s)liveblog-command(?:\s|$)/.test(attribute('class'))) return [];
  const inner = {
    inLink: context.inLink || name === 'a',
    isPreformatted: context.isPreformatted || name === 'pre',
  };
  return [{ name, attribute, children: () => readAll(childNodes, inner) }];
}

/** Converts a picture to a link with its alt text, title or file name. An emoji becomes its character. */
function imageLink(attribute: (name: string) => string, context: NodeContext): HtmlNode[] {
  const [src, alt] = [attribute('src'), attribute('alt').trim()];
  const named = attribute('data-emoji');
  if (named || /\b(?:emoji|wp-smiley)\b/.test(attribute('class')))
    return [{ text: alt || (named && `:${named}:`) }];
  const text = alt || attribute('title').trim() || fileName(src);
  return text ? [link(src, text, context)] : [];
}

const fileName = (src: string) => src.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';

const LINE_END: HtmlNode = { name: 'br', attribute: () => '', children: () => [] };

const link = (href: string, text: string, { inLink }: NodeContext): HtmlNode =>
  inLink
    ? { text }
    : { name: 'a', attribute: (name) => (name === 'href' ? href : ''), children: () => [{ text }] };

/** Excludes punctuation at the end of a bare address. */
const BARE_ADDRESS = /https?:\/\/[^\s<>"'”]*[^\s<>"'”.,;:!?)\]]/g;

/** Converts a line to text and links. */
function withLinks(line: string, context: NodeContext): HtmlNode[] {
  if (context.inLink) return [{ text: line }];
  const nodes: HtmlNode[] = [];
  let from = 0;
  for (const { 0: address, index } of line.matchAll(BARE_ADDRESS)) {
    nodes.push({ text: line.slice(from, index) }, link(address, address, context));
    from = index + address.length;
  }
  return [...nodes, { text: line.slice(from) }];
}
