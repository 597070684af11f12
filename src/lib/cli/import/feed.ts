import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import type { Body } from '../../domain/body/blocks.ts';
import { type HtmlNode, htmlToBody } from '../../domain/body/html.ts';

/** The content of a feed, independent of its format. */
export type ImportedFeed = {
  title: string;
  description: string | undefined;
  language: string | undefined;
  /** In order of time; items of the same second in the order of writing. */
  items: Item[];
};

export type Item = {
  /** Position of the item in the file, from 0. */
  index: number;
  id: string;
  title: string | undefined;
  body: Body;
  /** Names of the authors. */
  authors: string[];
  tags: string[];
  publishedAt: Date;
};

/** The file was refused. One sentence for each mistake. */
export class BadFeed extends Error {
  override name = 'BadFeed';
  readonly mistakes: string[];
  constructor(mistakes: string[]) {
    super(mistakes.join('\n'));
    this.mistakes = mistakes;
  }
}

/** RFC 3339: date, time and zone. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

export const isTime = (value: unknown): value is string =>
  typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value));

/** Sorts by time. Most feeds are newest first, so items of the same second are reversed there. */
export function inTimeOrder(items: Item[]): Item[] {
  const [first, last] = [items[0], items.at(-1)];
  const newestFirst = first && last && first.publishedAt > last.publishedAt;
  const written = newestFirst ? items.toReversed() : items;
  return written.toSorted((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime());
}

/** In characters. Longer texts are not updates, and the limit bounds the cost of a hostile file. */
export const MAX_HTML_LENGTH = 100_000;

/**
 * Converts HTML to blocks.
 * @param base for relative links; without it they become plain text
 * @throws NestingError
 */
export function bodyFromHtml(html: string, base: string | undefined): Body {
  return htmlToBody(parseFragment(html).childNodes.flatMap(readable), base);
}

function readable(node: DefaultTreeAdapterMap['childNode']): HtmlNode[] {
  if (!('tagName' in node)) return 'value' in node ? [{ text: node.value }] : [];
  return [
    {
      name: node.tagName,
      attribute: (name) => node.attrs.find((attribute) => attribute.name === name)?.value ?? '',
      children: () => node.childNodes.flatMap(readable),
    },
  ];
}

/** Converts plain text to paragraphs. A blank line ends a paragraph; a single line break is a space. */
export function bodyFromText(text: string): Body {
  return text
    .split(/\r?\n[^\S\r\n]*(?:\r?\n\s*)+/)
    .map((paragraph) => paragraph.replace(/[\p{Cc}\s]+/gu, ' ').trim())
    .filter(Boolean)
    .map((paragraph) => ({ type: 'paragraph', runs: [{ text: paragraph }] }));
}
