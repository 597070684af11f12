import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import type { Body } from '../../domain/body/blocks.ts';
import { type HtmlNode, htmlToBody } from '../../domain/body/html.ts';

/** In characters. More is no update, and it bounds what a file that was made to be slow can cost. */
export const LONGEST_HTML = 100_000;

/**
 * The words of an HTML text as blocks.
 * @param base what relative links are relative to; without one they are plain words
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

/** Plain text as paragraphs: a blank line ends one, a single line break is white space. */
export function bodyFromText(text: string): Body {
  return text
    .split(/\r?\n[^\S\r\n]*(?:\r?\n\s*)+/)
    .map((paragraph) => paragraph.replace(/[\p{Cc}\s]+/gu, ' ').trim())
    .filter(Boolean)
    .map((paragraph) => ({ type: 'paragraph', runs: [{ text: paragraph }] }));
}
