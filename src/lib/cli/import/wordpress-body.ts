import { parseFragment } from 'parse5';
import { type Body, bodyText } from '../../domain/body/blocks.ts';
import { embeddedPlace, type HtmlNode, htmlToBody, NestingError } from '../../domain/body/html.ts';
import { mediaUrl } from '../../domain/body/media-url.ts';
import { LIMITS } from '../../domain/limits.ts';
import { MAX_HTML_LENGTH } from './read-feed.ts';
import {
  type Attachments,
  attributeOf,
  type Element,
  elementsOf,
  findPictures,
  galleryHtml,
  type ItemPictures,
  isEmoji,
  isPictureFile,
  type Node,
  noAttachments,
  type TextPicture,
} from './wordpress-pictures.ts';

/** Elements that embed other content, and those that contain its address. */
const EMBEDS = new Set(['iframe', 'embed', 'video', 'audio', 'source']);

/**
 * Converts a WordPress text to blocks: HTML with line breaks, bare addresses and shortcodes. Pictures and embeds become
 * links.
 * @param base for relative links
 * @param quotedAt time for embedded posts; without it they are plain quotes
 * @throws NestingError
 */
export function bodyFromWordPress(html: string, base: string | undefined, quotedAt?: string): Body {
  return htmlToBody(readAll(nodesOf(html, noAttachments()), {}), base, quotedAt);
}

/** A text is longer than MAX_HTML_LENGTH with its galleries. */
export class ContentLongError extends Error {}

/**
 * Converts a WordPress text like `bodyFromWordPress`, and finds the pictures that can become photos in it.
 * @param attachments pictures of the media library, with their texts
 * @throws NestingError; ContentLongError
 */
export function textFromWordPress(
  html: string,
  base: string | undefined,
  quotedAt: string,
  attachments: Attachments,
): { body: Body; pictures: ItemPictures | undefined } {
  const nodes = nodesOf(html, attachments);
  const body = htmlToBody(readAll(nodes, {}), base, quotedAt);
  const textOf = (element: Element) => bodyText(htmlToBody(readAll(element.childNodes, {}), base));
  const search = findPictures(nodes, { base, attachments, isSkipped: isCommand, textOf });
  const left = [...search.left];
  const candidates = search.candidates.slice(0, LIMITS.body_blocks);
  const leave = ({ picture }: TextPicture) =>
    void left.push({ url: picture.urls[0] ?? '', problem: 'too_many_blocks' });
  search.candidates.slice(LIMITS.body_blocks).forEach(leave);
  const bodyOf = (placed: PlacedPicture[]) => bodyWithPhotos(nodes, placed, base, quotedAt);
  // Each picture is a block, and text before and after it are two.
  while (candidates.length > 0 && bodyOf(candidates.map(asPlaced)).length > LIMITS.body_blocks) {
    candidates.splice(-1).forEach(leave);
  }
  if (candidates.length === 0 && left.length === 0) return { body, pictures: undefined };
  const pictures: ItemPictures = {
    pictures: candidates.map(({ picture }) => picture),
    left,
    bodyWith: (photos) =>
      bodyOf(
        candidates.flatMap((one) => {
          const photo = photos.get(one.picture);
          return photo ? [{ ...one, photo }] : [];
        }),
      ),
  };
  return { body, pictures };
}

const nodesOf = (html: string, attachments: Attachments): Node[] =>
  parseFragment(withoutShortcodes(html, attachments)).childNodes;

/** A picture that becomes a photo with this id. */
type PlacedPicture = TextPicture & { photo: string };

/** Counts like a photo. */
const asPlaced = (picture: TextPicture): PlacedPicture => ({ ...picture, photo: '' });

/** Photos in place of their elements. */
type Photos = {
  byImage: Map<Node, string>;
  /** Captions, which belong to the photo and leave the text. */
  captions: Set<Node>;
  /** The elements around photos. */
  around: Set<Node>;
};

function bodyWithPhotos(nodes: Node[], placed: PlacedPicture[], base: string | undefined, quotedAt: string) {
  const photos: Photos = { byImage: new Map(), captions: new Set(), around: new Set() };
  for (const { image, figcaption, photo } of placed) {
    photos.byImage.set(image, photo);
    if (figcaption) photos.captions.add(figcaption);
    let outer: Element['parentNode'] = image.parentNode;
    while (outer && 'tagName' in outer && !photos.around.has(outer)) {
      photos.around.add(outer);
      outer = outer.parentNode;
    }
  }
  return partsOf(nodes, { photos }, photos).flatMap(
    (part): Body =>
      'photo' in part ? [{ type: 'photo', photo: part.photo }] : htmlToBody(part.nodes, base, quotedAt),
  );
}

/** A photo, or the text between two photos. */
type Part = { photo: string } | { nodes: HtmlNode[] };

/** Elements that no photo can be in. It follows them. */
const WITHOUT_PHOTOS = new Set(['ul', 'ol', 'dl', 'blockquote', 'table', ...EMBEDS]);

/** Maximum nesting of elements around photos. Deeper ones would overflow the call stack. */
const MAX_DEPTH = 1_000;

/** Splits nodes at their photos. The elements around a photo are repeated before and after it. */
function partsOf(nodes: Node[], context: NodeContext, photos: Photos, depth = 0): Part[] {
  if (depth > MAX_DEPTH) throw new NestingError();
  return joinTexts(
    nodes.flatMap((node): Part[] => {
      const photo = photos.byImage.get(node);
      if (photo !== undefined) return [{ photo }];
      if (!('tagName' in node) || !photos.around.has(node)) return [{ nodes: read(node, context) }];
      if (WITHOUT_PHOTOS.has(node.tagName))
        return [{ nodes: read(node, context) }, ...photosIn(node, photos)];
      const attribute = (name: string) => attributeOf(node, name);
      const inside = partsOf(node.childNodes, innerContext(node, context), photos, depth + 1);
      const parts = inside.map((part) =>
        'photo' in part ? part : { nodes: [{ name: node.tagName, attribute, children: () => part.nodes }] },
      );
      return [...parts, ...linkOfPicture(node)];
    }),
  );
}

/** Joins texts that follow each other, because a paragraph would end between them. */
function joinTexts(parts: Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last && 'nodes' in last && 'nodes' in part) last.nodes.push(...part.nodes);
    else joined.push('nodes' in part ? { nodes: [...part.nodes] } : part);
  }
  return joined;
}

const photosIn = (element: Element, { byImage }: Photos): Part[] =>
  elementsOf(element.childNodes).flatMap((inner) => {
    const photo = byImage.get(inner);
    return photo === undefined ? [] : [{ photo }];
  });

/** Returns the link around a picture without a text, unless it leads to the picture itself. */
function linkOfPicture(element: Element): Part[] {
  if (element.tagName !== 'a') return [];
  const [href, rel] = [attributeOf(element, 'href'), attributeOf(element, 'rel')];
  const isText = element.childNodes.some((child) => 'value' in child && child.value.trim() !== '');
  if (isText || /\battachment\b/.test(rel) || /[?&]attachment_id=/.test(href)) return [];
  if (!/^https?:/i.test(href) || isPictureFile(href)) return [];
  return [{ nodes: [LINE_END, link(href, href, {}), LINE_END] }];
}

/* Shortcodes are limited to 2,000 characters, because a text can contain a thousand unterminated ones. */

/** Shortcodes that enclose text, which stays. */
const ENCLOSING_SHORTCODE = /(?<!\[)\[(\/?)(?:caption|wp_caption|embed)\b[^\]]{0,2000}\](?!\])/gi;
/** Shortcodes that are replaced by the addresses they contain. */
const REPLACED_SHORTCODE =
  /(?<!\[)\[(video|audio|playlist|gallery|youtube|vimeo|tweet|instagram|facebook|soundcloud|liveblog_key_events)\b([^\]]{0,2000})\](?:\s*\[\/\1\])?(?!\])/gi;
const ADDRESS = /https?:\/\/[^\s"'<>\]”]+/g;

/**
 * A picture, maybe in a link, with its caption. No part contains a bracket that opens, so that two attempts never read
 * the same characters.
 */
const CAPTION_SHORTCODE =
  /(?<!\[)\[(wp_caption|caption)\b[^[\]]{0,2000}\]\s{0,100}((?:<a\b[^<>[]{0,2000}>)?<img\b[^<>[]{0,2000}>(?:<\/a>)?)([^[]{0,2000})\[\/\1\](?!\])/gi;

/**
 * Unknown shortcodes stay, because they may be the author's own text.
 * @throws ContentLongError before it builds a text that is too long
 */
function withoutShortcodes(html: string, attachments: Attachments): string {
  let length = html.length;
  return html
    .replace(CAPTION_SHORTCODE, '<figure>$2<figcaption>$3</figcaption></figure>')
    .replace(ENCLOSING_SHORTCODE, '\n')
    .replace(REPLACED_SHORTCODE, (_, name: string, said: string) => {
      const gallery = /^gallery$/i.test(name) && galleryHtml(said, attachments);
      if (gallery) length += gallery.length;
      if (gallery && length > MAX_HTML_LENGTH) throw new ContentLongError();
      return `\n${gallery || (said.match(ADDRESS)?.join('\n') ?? '')}\n`;
    });
}

/** Links cannot be nested, and line breaks in `pre` stay in the text. */
type NodeContext = { inLink?: boolean; isPreformatted?: boolean; photos?: Photos };

const innerContext = ({ tagName }: Element, context: NodeContext): NodeContext => ({
  ...context,
  inLink: context.inLink === true || tagName === 'a',
  isPreformatted: context.isPreformatted === true || tagName === 'pre',
});

const readAll = (nodes: Node[], context: NodeContext): HtmlNode[] =>
  nodes.flatMap((node) => read(node, context));

function read(node: Node, context: NodeContext): HtmlNode[] {
  if ('tagName' in node) return readElement(node, context);
  if (!('value' in node)) return [];
  const lines = context.isPreformatted ? [node.value] : node.value.split(/\r?\n/);
  return lines.flatMap((line, n) => [...(n > 0 ? [LINE_END] : []), ...withLinks(line, context)]);
}

function readElement(element: Element, context: NodeContext): HtmlNode[] {
  const { tagName: name, childNodes } = element;
  const attribute = (attributeName: string) => attributeOf(element, attributeName);
  const { photos } = context;
  if (photos?.byImage.has(element) || photos?.captions.has(element)) return [];
  if (name === 'img') return imageLink(element, context);
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
  if (isCommand(element)) return [];
  return [{ name, attribute, children: () => readAll(childNodes, innerContext(element, context)) }];
}

/** Whether it is a command of the plugin, which hides those that it has executed. */
const isCommand = (element: Element) =>
  /(?:^|\s)liveblog-command(?:\s|$)/.test(attributeOf(element, 'class'));

/** Converts a picture to a link with its alt text, title or file name. An emoji becomes its character. */
function imageLink(image: Element, context: NodeContext): HtmlNode[] {
  const [src, alt] = [attributeOf(image, 'src'), attributeOf(image, 'alt').trim()];
  const named = attributeOf(image, 'data-emoji');
  if (isEmoji(image)) return [{ text: alt || (named && `:${named}:`) }];
  const text = alt || attributeOf(image, 'title').trim() || fileName(src);
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
