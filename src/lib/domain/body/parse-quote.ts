import type { Blockquote } from 'mdast';
import { machineTime } from '../time.ts';
import { type Block, normalizeUrl, type Post, type Quote, textOf } from './blocks.ts';
import { inlineRuns, paragraphsFromSource, sourceOf } from './parse-inline.ts';

/** Last line of a quote, with its attribution. */
const ATTRIBUTION = /^[>\s]*(?:—|―|--)\s+(?=\S)/;
/** The same line with a link at the place of the name. */
const POST_LINE = /^[>\s]*(?:—|―|--)\s+\[/;
/** The same line without a name in it. */
const EMPTY_ATTRIBUTION = /^[>\s]*(?:—|―|--)\s*$/;

/** Returns the quote or the post of a Markdown quote. Without text, its lines are paragraphs. */
export function quoteOf(node: Blockquote, source: string): Block[] {
  const parts = node.children.map((child) =>
    child.type === 'paragraph'
      ? inlineRuns(child.children, source).map(textOf)
      : sourceOf(child, source)
          .split('\n')
          .map((line) => line.replace(/^[\s>]+/, '')),
  );
  const post = postOf(node, source);
  const attribution = post ? undefined : extractAttribution(node, parts, source);
  if (post) parts.at(-1)?.pop();
  const text = parts
    .map((lines) => lines.join('\n'))
    .join('\n\n')
    .trim();
  if (text === '') return paragraphsFromSource(node, source);
  if (post) return [{ ...post, text }];
  const quote: Quote = { type: 'quote', text };
  return [attribution ? { ...quote, attribution } : quote];
}

/** Removes characters that change the direction of writing, which names beside other words may not have. */
export const withoutDirections = (text: string) =>
  text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');

/** Whether the text is a time as posts have it: UTC, whole seconds. */
function isPostTime(text: string): boolean {
  const isSpelled = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text);
  return isSpelled && !Number.isNaN(Date.parse(text)) && machineTime(text) === text;
}

/**
 * Returns the post that the last line names; its text is in the lines before it. After a dash, the author is a link
 * to the post. The title of the link has the handle, the network, and the times at which the post was posted, quoted
 * and found to be gone: `@ostley Mastodon 2026-11-28T13:58:00Z/2026-11-28T14:02:00Z`. Only the time of the quote is
 * required.
 */
function postOf(node: Blockquote, source: string): Post | undefined {
  const last = node.children.at(-1);
  const link = last?.type === 'paragraph' ? last.children.at(-1) : undefined;
  if (link?.type !== 'link' || !POST_LINE.test(sourceOf(node, source).split('\n').at(-1) ?? ''))
    return undefined;
  const author = withoutDirections(inlineRuns(link.children, source).map(textOf).join(' ')).trim();
  const url = normalizeUrl(link.url);
  const words = withoutDirections(link.title ?? '').split(' ');
  const [posted_at = '', quoted_at = '', gone_at, ...others] = words.pop()?.split('/') ?? [];
  const times = [quoted_at, posted_at || quoted_at, gone_at ?? quoted_at];
  if (!author || !url || others.length > 0 || !times.every(isPostTime)) return undefined;
  const handle = words[0]?.startsWith('@') ? words.shift() : undefined;
  const network = words.join(' ');
  return {
    type: 'post',
    url,
    author,
    ...(handle && { handle }),
    ...(network && { network }),
    text: '',
    ...(posted_at && { posted_at }),
    quoted_at,
    ...(gone_at && { gone_at }),
  };
}

/** Removes the last line if it is the attribution and not the only line. Returns the attribution. */
function extractAttribution(node: Blockquote, parts: string[][], source: string): string | undefined {
  const last = parts.at(-1);
  const sourceLines = sourceOf(node, source).split('\n').at(-1) ?? '';
  if (!last || (parts.length === 1 && last.length === 1)) return undefined;
  if (EMPTY_ATTRIBUTION.test(sourceLines)) last.pop();
  return ATTRIBUTION.test(sourceLines) ? last.pop()?.replace(ATTRIBUTION, '') : undefined;
}
