import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import type { Body } from '../body/blocks.ts';
import { bodyOfHtml, type HtmlNode } from '../body/html.ts';

type Node = DefaultTreeAdapterMap['childNode'];
type Element = DefaultTreeAdapterMap['element'];

/**
 * The words of a text as WordPress keeps it: HTML in which the end of a line is one, addresses that stand bare are
 * links, and what stands in brackets stands for something else. Pictures and what is embedded become links to it.
 * @param base what relative links are relative to
 * @throws TooDeep
 */
export function bodyFromWordPress(html: string, base: string | undefined): Body {
  return bodyOfHtml(readAll(parseFragment(withoutShortcodes(html)).childNodes, {}), base);
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
