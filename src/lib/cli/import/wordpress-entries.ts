import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import type { Body } from '../../domain/body/blocks.ts';
import { type HtmlNode, htmlToBody } from '../../domain/body/html.ts';
import { KIND, type WxrComment, type WxrItem, type WxrSite } from './wordpress-items.ts';

/** An entry of a liveblog as it was written down, before it is known which others replace it. */
export type Written = {
  id: string;
  /** The one that it stands for. */
  replaces: string | undefined;
  title: string;
  html: string;
  at: string;
  names: string[];
  isHidden: boolean;
  /** It was noted to be a key event. What its text says of that is another matter. */
  isKey: boolean;
  isThrownAway: boolean;
};

/** What readers saw of an entry at the end. */
export type Entry = Pick<Written, 'id' | 'title' | 'html' | 'at' | 'names' | 'isKey'>;

/** A comment that is an entry (Liveblog 1): its type and its approval say so. */
export function entryOfComment({ fields, meta }: WxrComment, { names }: WxrSite): Written {
  const field = (key: string) => fields.get(`wp:comment_${key}`)?.trim() ?? '';
  const html = fields.get('wp:comment_content') ?? '';
  const author = field('author') || (names.get(field('user_id')) ?? '');
  return {
    id: field('id'),
    title: '',
    html,
    at: field('date_gmt'),
    ...written(meta, author, names),
    isThrownAway: field('approved') !== KIND,
  };
}

/** A post under a liveblog that is an entry (Liveblog 2). */
export function entryOfPost({ fields, meta, categories }: WxrItem, { names }: WxrSite): Written {
  const field = (key: string) => fields.get(`wp:${key}`)?.trim() ?? '';
  const html = fields.get('content:encoded') ?? '';
  const creator = fields.get('dc:creator')?.trim() ?? '';
  const signed = categories.filter(({ domain }) => domain === 'author').map(({ name }) => name);
  const [author = '', ...more] = (signed.length > 0 ? signed : [creator]).map(
    (name) => names.get(name) ?? name,
  );
  const entry = written(meta, author, names);
  return {
    id: field('post_id'),
    title: fields.get('title')?.trim() ?? '',
    html,
    at: field('post_date_gmt'),
    ...entry,
    names: [...new Set([...entry.names, ...more])],
    isThrownAway: field('status') !== 'publish',
  };
}

/** What the plugin notes beside a text, whichever way it keeps it. */
function written(meta: WxrComment['meta'], author: string, names: WxrSite['names']) {
  const others = idsIn(meta.get('liveblog_contributors') ?? '').flatMap((id) => names.get(id) ?? []);
  return {
    replaces: meta.get('liveblog_replaces')?.trim() || undefined,
    names: [...new Set([author, ...others].filter(Boolean))],
    isHidden: isYes(meta.get('liveblog_hide_authors')),
    isKey: isYes(meta.get('liveblog_key_entry')),
  };
}

const isYes = (value: string | undefined) => value === '1' || value === 'true';

/** Is there in a text what becomes of `/key`? Span by span: whatever a text is made of, it is gone through once. */
const hasKeyCommand = (html: string) =>
  [...html.matchAll(/<span\b([^<>]*)>/gi)].some(([, attributes = '']) =>
    [...attributes.matchAll(/\bclass=["']([^"']*)/gi)].some(
      ([, names = '']) => /\bliveblog-command\b/i.test(names) && /\btype-key\b/i.test(names),
    ),
  );

/** The values of a list as PHP writes it: `a:2:{i:0;i:3;i:1;s:1:"5";}`. */
const idsIn = (list: string) =>
  [...list.matchAll(/i:\d+;(?:i:(\d+)|s:\d+:"(\d+)");/g)].map(([, number, text]) => number ?? text ?? '');

/**
 * What readers saw at the end: of each entry the newest text, at the time of the first. A change is an entry of its own
 * that names the one it stands for, an empty one takes it away; a trace of what is gone may be all there is of it.
 */
export function entriesOf(all: Written[]): { entries: Entry[]; deleted: number } {
  const byId = new Map(all.map((entry) => [entry.id, entry]));
  const groups = Map.groupBy(all, (entry) => rootOf(entry, byId));
  const entries: Entry[] = [];
  let deleted = 0;
  for (const [id, group] of groups) {
    const first = byId.get(id);
    const shown = group.filter(({ isThrownAway }) => !isThrownAway).toSorted(byNumber);
    const newest = shown.at(-1);
    const isDeleted = shown.some(({ replaces, html }) => replaces !== undefined && html.trim() === '');
    if (!newest || first?.isThrownAway || isDeleted) {
      deleted += 1;
      continue;
    }
    // Whose it is, and whether it matters, is kept with the first.
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

/** The entry that all changes of it stand for, whether it is still there or not. */
function rootOf({ id, replaces }: Written, byId: Map<string, Written>): string {
  const passed = new Set([id]);
  let at = id;
  for (let next = replaces; next !== undefined && !passed.has(next); next = byId.get(next)?.replaces) {
    passed.add(next);
    at = next;
  }
  return at;
}

const byNumber = (a: Written, b: Written) => Number(a.id) - Number(b.id);

type Node = DefaultTreeAdapterMap['childNode'];
type Element = DefaultTreeAdapterMap['element'];

/**
 * The words of a text as WordPress keeps it: HTML in which the end of a line is one, addresses that stand bare are
 * links, and what stands in brackets stands for something else. Pictures and what is embedded become links to it.
 * @param base what relative links are relative to
 * @throws NestingError
 */
export function bodyFromWordPress(html: string, base: string | undefined): Body {
  return htmlToBody(readAll(parseFragment(withoutShortcodes(html)).childNodes, {}), base);
}

/* A shortcode is no longer than this: a text may begin a thousand of them and end none. */

/** Shortcodes around words, which stay. */
const AROUND = /(?<!\[)\[(\/?)(?:caption|wp_caption|embed)\b[^\]]{0,2000}\](?!\])/gi;
/** Shortcodes that stand for something with an address, which stays; or for what the product has itself. */
const INSTEAD =
  /(?<!\[)\[(video|audio|playlist|gallery|youtube|vimeo|tweet|instagram|facebook|soundcloud|liveblog_key_events)\b([^\]]{0,2000})\](?:\s*\[\/\1\])?(?!\])/gi;
const ADDRESS = /https?:\/\/[^\s"'<>\]”]+/g;

/** What nobody knows stays as it is written: it may be somebody's own words. */
function withoutShortcodes(html: string): string {
  return html
    .replace(AROUND, '\n')
    .replace(INSTEAD, (_, _name, said: string) => `\n${said.match(ADDRESS)?.join('\n') ?? ''}\n`);
}

/** Within a link there is no other; within `pre` lines are not the writer's. */
type Place = { inLink?: boolean; asWritten?: boolean };

const readAll = (nodes: Node[], place: Place): HtmlNode[] => nodes.flatMap((node) => read(node, place));

function read(node: Node, place: Place): HtmlNode[] {
  if ('tagName' in node) return readElement(node, place);
  if (!('value' in node)) return [];
  const lines = place.asWritten ? [node.value] : node.value.split(/\r?\n/);
  return lines.flatMap((line, n) => [...(n > 0 ? [LINE_END] : []), ...linked(line, place)]);
}

/** Elements whose content is elsewhere, and those that name where. */
const EMBEDS = new Set(['iframe', 'embed', 'video', 'audio', 'source']);

function readElement(element: Element, place: Place): HtmlNode[] {
  const { tagName: name, childNodes } = element;
  const attribute = (wanted: string) => element.attrs.find(({ name }) => name === wanted)?.value ?? '';
  if (name === 'img') return pictured(attribute, place);
  if (EMBEDS.has(name)) {
    const inside = readAll(childNodes, place);
    const src = attribute('src');
    return src ? [link(src, attribute('title') || src, place), ...inside] : inside;
  }
  // A command that was carried out: the plugin hides it.
  if (/(?:^|\s)liveblog-command(?:\s|$)/.test(attribute('class'))) return [];
  const inner = {
    inLink: place.inLink || name === 'a',
    asWritten: place.asWritten || name === 'pre',
  };
  return [{ name, attribute, children: () => readAll(childNodes, inner) }];
}

/** A picture by what it shows; where nobody said that, by the name of its file. Of a small one in a line, its sign. */
function pictured(attribute: (name: string) => string, place: Place): HtmlNode[] {
  const [src, alt] = [attribute('src'), attribute('alt').trim()];
  const named = attribute('data-emoji');
  if (named || /\b(?:emoji|wp-smiley)\b/.test(attribute('class')))
    return [{ text: alt || (named && `:${named}:`) }];
  const text = alt || attribute('title').trim() || fileName(src);
  return text ? [link(src, text, place)] : [];
}

const fileName = (src: string) => src.split(/[?#]/, 1)[0]?.split('/').at(-1) ?? '';

const LINE_END: HtmlNode = { name: 'br', attribute: () => '', children: () => [] };

const link = (href: string, text: string, { inLink }: Place): HtmlNode =>
  inLink
    ? { text }
    : { name: 'a', attribute: (name) => (name === 'href' ? href : ''), children: () => [{ text }] };

/** A sentence's own mark behind an address is not of it. */
const BARE = /https?:\/\/[^\s<>"'”]*[^\s<>"'”.,;:!?)\]]/g;

/** The text of a line with its bare addresses as links. */
function linked(line: string, place: Place): HtmlNode[] {
  if (place.inLink) return [{ text: line }];
  const nodes: HtmlNode[] = [];
  let from = 0;
  for (const { 0: address, index } of line.matchAll(BARE)) {
    nodes.push({ text: line.slice(from, index) }, link(address, address, place));
    from = index + address.length;
  }
  return [...nodes, { text: line.slice(from) }];
}
