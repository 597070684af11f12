import type { Body } from '../body/blocks.ts';

/** Plain text as paragraphs: a blank line ends one, a single line break is white space. */
export function bodyFromText(text: string): Body {
  return text
    .split(/\r?\n[^\S\r\n]*(?:\r?\n\s*)+/)
    .map((paragraph) => paragraph.replace(/[\p{Cc}\s]+/gu, ' ').trim())
    .filter(Boolean)
    .map((paragraph) => ({ type: 'paragraph', runs: [{ text: paragraph }] }));
}
