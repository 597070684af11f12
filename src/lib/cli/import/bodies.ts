import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import type { Body } from '../../domain/body/blocks.ts';
import { type HtmlNode, htmlToBody } from '../../domain/body/html.ts';

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
