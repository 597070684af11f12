import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import type { Body } from '../../domain/body/blocks.ts';
import { embeddedPlace, type HtmlNode, htmlToBody } from '../../domain/body/html.ts';
import { mediaUrl } from '../../domain/body/media-url.ts';

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
