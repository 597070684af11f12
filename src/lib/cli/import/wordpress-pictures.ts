import type { DefaultTreeAdapterMap } from 'parse5';
import { type Body, normalizeUrl, shorten } from '../../domain/body/blocks.ts';
import { LIMITS } from '../../domain/limits.ts';

export type Node = DefaultTreeAdapterMap['childNode'];
export type Element = DefaultTreeAdapterMap['element'];

/** A picture of the media library, with the texts that it has there. */
export type Attachment = { id: string; url: string; alt: string; caption: string; credit: string };

/** The pictures of the media library in an export. */
export type Attachments = {
  byId: Map<string, Attachment>;
  /** By address without scheme and without the mark of a size. */
  byAddress: Map<string, Attachment>;
};

export const noAttachments = (): Attachments => ({ byId: new Map(), byAddress: new Map() });

/** A picture of a text that can become a photo. */
export type Picture = {
  /** Addresses: the original, then the size in the text. The first that can be had is used. */
  urls: string[];
  alt: string;
  caption: string | undefined;
  credit: string | undefined;
};

/** Why a picture stays a link. */
export type PictureProblem =
  | 'undescribed'
  | 'too_many_blocks'
  | 'not_reached'
  | 'not_found'
  | 'not_public'
  | 'too_large'
  | 'not_a_photo'
  | 'refused';

export type LeftPicture = { url: string; problem: PictureProblem };

/** The pictures of an item, which are links in its body. */
export type ItemPictures = {
  /** Pictures that can become photos, each once. */
  pictures: Picture[];
  /** Pictures that stay links in any case. */
  left: LeftPicture[];
  /** Returns the body with photos in place of these pictures. */
  bodyWith(photos: ReadonlyMap<Picture, string>): Body;
};

const PICTURE_FILE = /\.(?:jpe?g|png|webp|avif|gif)$/i;

/** Whether an address leads to the file of a picture. */
export const isPictureFile = (url: string) => PICTURE_FILE.test(URL.parse(url)?.pathname ?? '');

/** Adds a picture of the media library, with texts cut to their limits. Other files are ignored. */
export function addAttachment(attachments: Attachments, given: Attachment): void {
  if (given.url.length > LIMITS.url || !isPictureFile(given.url)) return;
  const attachment = {
    ...given,
    alt: shorten(given.alt, LIMITS.alt),
    caption: cutHtml(given.caption, LIMITS.caption),
    credit: shorten(given.credit, LIMITS.credit),
  };
  attachments.byId.set(attachment.id, attachment);
  attachments.byAddress.set(originalAddress(attachment.url), attachment);
}

/** Cuts HTML, without a tag that the cut would leave open. */
const cutHtml = (html: string, length: number) =>
  html.length > length ? html.slice(0, length).replace(/<[^<>]*$/, '') : html;

/** WordPress marks its smaller versions of a picture: `-1024x683` or `-scaled` before the extension. */
const originalAddress = (url: string) =>
  url
    .replace(/^https?:/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/-(?:\d{1,5}x\d{1,5}|scaled)(?=\.\w+$)/, '');

/** Returns the name of a file without the marks of its size and its extension. */
const stem = (url: string) =>
  originalAddress(url)
    .split('/')
    .at(-1)
    ?.replace(/\.\w+$/, '') ?? '';

/** Returns all elements in the order of the text. Not recursive, because a text can be nested deeply. */
export function elementsOf(nodes: Node[], isSkipped: (element: Element) => boolean = () => false): Element[] {
  const elements: Element[] = [];
  const waiting = nodes.toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!('tagName' in node) || isSkipped(node)) continue;
    elements.push(node);
    for (const child of node.childNodes.toReversed()) waiting.push(child);
  }
  return elements;
}

export const attributeOf = (element: Element, name: string): string =>
  element.attrs.find((attribute) => attribute.name === name)?.value ?? '';

/** Emoji are pictures for older browsers. They become characters. */
export const isEmoji = (image: Element) =>
  attributeOf(image, 'data-emoji') !== '' || /\b(?:emoji|wp-smiley)\b/.test(attributeOf(image, 'class'));

/** A picture in a text: its element, and the element with its caption. */
export type TextPicture = { image: Element; figcaption: Element | undefined; picture: Picture };

export type PictureSearch = {
  base: string | undefined;
  attachments: Attachments;
  isSkipped(element: Element): boolean;
  /** Reads the text of a caption. */
  textOf(element: Element): string;
};

/** Finds the pictures of a text. A picture that stands there twice is returned once. */
export function findPictures(
  nodes: Node[],
  { base, attachments, isSkipped, textOf }: PictureSearch,
): { candidates: TextPicture[]; left: LeftPicture[] } {
  const candidates: TextPicture[] = [];
  const left: LeftPicture[] = [];
  const keys = new Set<string>();
  /** By figure, because a figure of many pictures is read once. */
  const figcaptions = new Map<Element, Element | undefined>();
  for (const image of elementsOf(nodes, isSkipped)) {
    if (image.tagName !== 'img' || isEmoji(image)) continue;
    const shown = normalizeUrl(URL.parse(attributeOf(image, 'src').trim(), base)?.href ?? '');
    if (!shown) continue;
    const attachment = attachmentOf(image, shown, attachments);
    const urls = [...new Set([normalizeUrl(attachment?.url ?? '') ?? shown, shown])];
    const figure = figureOf(image);
    if (figure && !figcaptions.has(figure)) figcaptions.set(figure, figcaptionOf(figure));
    const figcaption = figure && figcaptions.get(figure);
    const caption = figcaption && line(textOf(figcaption));
    const alt = [attributeOf(image, 'alt'), attachment?.alt, caption, titleOf(image)].map(line).find(Boolean);
    if (!alt) {
      left.push({ url: urls[0] ?? shown, problem: 'undescribed' });
      continue;
    }
    const picture: Picture = {
      urls,
      alt: shorten(alt, LIMITS.alt),
      caption: caption ? shorten(caption, LIMITS.caption) : undefined,
      credit: shorten(line(attachment?.credit), LIMITS.credit) || undefined,
    };
    const key = pictureKey(picture);
    if (!keys.has(key)) candidates.push({ image, figcaption, picture });
    keys.add(key);
  }
  return { candidates, left };
}

/** Identifies a picture with its texts: with other texts it is another photo. */
export const pictureKey = ({ urls, alt, caption, credit }: Picture) =>
  JSON.stringify([urls[0], alt, caption, credit]);

const line = (text: string | undefined) => (text ?? '').replace(/[\p{Cc}\s]+/gu, ' ').trim();

/** Many titles are names of files. */
function titleOf(image: Element): string {
  const title = attributeOf(image, 'title').trim();
  return /\s/.test(title) ? title : '';
}

/** Returns the picture of the media library that an element shows. Its number may be that of another site. */
function attachmentOf(
  image: Element,
  shown: string,
  { byId, byAddress }: Attachments,
): Attachment | undefined {
  const id = /(?:^|\s)wp-image-(\d+)/.exec(attributeOf(image, 'class'))?.[1] ?? attributeOf(image, 'data-id');
  const numbered = byId.get(id);
  if (numbered && stem(shown).startsWith(stem(numbered.url))) return numbered;
  return byAddress.get(originalAddress(shown));
}

/** Returns the figure around a picture. */
function figureOf(image: Element): Element | undefined {
  let outer: DefaultTreeAdapterMap['parentNode'] | null = image.parentNode;
  while (outer && 'tagName' in outer && outer.tagName !== 'figure') outer = outer.parentNode;
  return outer && 'tagName' in outer ? outer : undefined;
}

/** Returns the caption of a figure, if it has only one picture. */
function figcaptionOf(figure: Element): Element | undefined {
  const inside = elementsOf(figure.childNodes);
  if (inside.filter(({ tagName }) => tagName === 'img').length > 1) return undefined;
  return inside.find(({ tagName }) => tagName === 'figcaption');
}

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

const pictureHtml = ({ id, url, alt }: Attachment) =>
  `<img class="wp-image-${id}" src="${escapeAttribute(url)}" alt="${escapeAttribute(alt)}">`;

/** Returns the HTML of a gallery, with the captions of the media library. Pictures that the export lacks are left out. */
export function galleryHtml(shortcode: string, { byId }: Attachments): string {
  const ids = /\b(?:ids|include)=["'“”]?([\d,\s]{1,1000})/.exec(shortcode)?.[1] ?? '';
  return [...new Set(ids.split(',').map((id) => id.trim()))]
    .flatMap((id) => byId.get(id) ?? [])
    .map((attachment) => {
      const caption = attachment.caption && `<figcaption>${attachment.caption}</figcaption>`;
      return `<figure>${pictureHtml(attachment)}${caption}</figure>`;
    })
    .join('\n');
}

/** Puts the featured image of an entry before its text, unless the text shows it. */
export function withFeaturedImage(html: string, id: string | undefined, { byId }: Attachments): string {
  const attachment = id ? byId.get(id) : undefined;
  if (!attachment || html.includes(stem(attachment.url))) return html;
  return `${pictureHtml(attachment)}\n${html}`;
}
