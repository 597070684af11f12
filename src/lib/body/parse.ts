import type { Blockquote, List as MarkdownList, Paragraph as MarkdownParagraph, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { LIMITS } from '../limits.ts';
import { linkAddress, shortAddress } from './addresses.ts';
import type { Block, Body, Link, Quote, Run } from './blocks.ts';
import { linesOf, tidy } from './runs.ts';
import { asTyped } from './source.ts';

/** Markdown that a body has no block for: it is read as the plain text it is, so that nothing is lost. */
const PLAIN = [
  'headingAtx',
  'setextUnderline',
  'thematicBreak',
  'codeFenced',
  'codeIndented',
  'codeText',
  'htmlFlow',
  'htmlText',
  'definition',
];

/** How a last line of a quote names who said it. */
const ATTRIBUTION = /^[>\s]*(?:—|―|--)\s+(?=\S)/;
/** The same before anybody is named. */
const NOBODY = /^[>\s]*(?:—|―|--)\s*$/;

/**
 * Reads what a reporter types: paragraphs, **bold**, *italic*, [links](https://…), lists and quotes. A line
 * break begins a new block; an address alone on its line is a link block.
 * @param known link blocks of an earlier version: the same address keeps its title and description
 */
export function parseBody(source: string, known: Body = []): Body {
  if (isNoText(source)) return asWords(source);
  const tree = fromMarkdown(source, { extensions: [{ disable: { null: PLAIN } }] });
  const links = new Map(known.filter((block) => block.type === 'link').map((link) => [link.url, link]));
  return tree.children.flatMap((node) => blocksOf(node, source, links));
}

/** The longest body there may be, each of its blocks with the longest address. */
const LONGEST = LIMITS.body_characters + LIMITS.body_blocks * LIMITS.url;
/** From here on marks are counted: some thousands of them that end nothing take the parser minutes. */
const LONG = 2 * LIMITS.body_characters;
/** Of all characters, at most so many are marks in what somebody means as a text: one in five. */
const MARKS_ONE_IN = 5;

/** Is it more than any update may be, or mostly marks? Then it is refused for its length anyway, and its words are kept as they are. */
function isNoText(source: string): boolean {
  if (source.length <= LONG) return false;
  // Within a word, as in many addresses, an underscore is none.
  const marks = source.length - source.replace(/[*>[]|\b_|_\b/g, '').length;
  return source.length > LONGEST || marks * MARKS_ONE_IN > source.length;
}

const asWords = (source: string): Body =>
  source.split('\n').flatMap((line) => {
    const text = line.trim();
    return text === '' ? [] : [{ type: 'paragraph' as const, runs: [{ text }] }];
  });

function blocksOf(node: RootContent, source: string, links: Map<string, Link>): Block[] {
  switch (node.type) {
    case 'paragraph':
      return paragraphsOf(node, source, links);
    case 'list': {
      const items = itemsOf(node, source);
      return items.length > 0
        ? [{ type: 'list', ordered: node.ordered === true, items }]
        : asText(node, source);
    }
    case 'blockquote':
      return quoteOf(node, source);
    default:
      return asText(node, source);
  }
}

function paragraphsOf(node: MarkdownParagraph, source: string, links: Map<string, Link>): Block[] {
  const lines = linesOf(node.children, source);
  const typed = asTyped(node, source).split('\n');
  return lines.flatMap((runs, index): Block[] => {
    // An encoded line break makes more lines than were typed; then none can be told to be an address.
    const url = lines.length === typed.length ? aloneAddress(typed[index]) : null;
    if (url)
      return [links.get(url) ?? { type: 'link', url, title: shortAddress(url).slice(0, LIMITS.link_title) }];
    return runs.length > 0 ? [{ type: 'paragraph', runs }] : [];
  });
}

function aloneAddress(line = ''): string | null {
  const text = line.trim().replace(/^<(.*)>$/, '$1');
  return /^https?:\/\/\S+$/i.test(text) ? linkAddress(text) : null;
}

/** Items hold one line each, so the lines of one are joined and the items of a list within follow it. */
function itemsOf(list: MarkdownList, source: string): Run[][] {
  return list.children.flatMap((item) => {
    const own: Run[] = [];
    const nested: Run[][] = [];
    for (const child of item.children) {
      if (child.type === 'list') nested.push(...itemsOf(child, source));
      else if (child.type === 'paragraph') own.push(...joined(linesOf(child.children, source)));
      else own.push({ text: ` ${oneLine(asTyped(child, source))} ` });
    }
    const line = tidy(own);
    return line.length > 0 ? [line, ...nested] : nested;
  });
}

function joined(lines: Run[][]): Run[] {
  return lines.flatMap((line) => [...line, { text: ' ' }]);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function quoteOf(node: Blockquote, source: string): Block[] {
  const parts = node.children.map((child) =>
    child.type === 'paragraph'
      ? linesOf(child.children, source).map(textOf)
      : asTyped(child, source)
          .split('\n')
          .map((line) => line.replace(/^[\s>]+/, '')),
  );
  const attribution = takeAttribution(node, parts, source);
  const text = parts
    .map((lines) => lines.join('\n'))
    .join('\n\n')
    .trim();
  if (text === '') return asText(node, source);
  const quote: Quote = { type: 'quote', text };
  return [attribution ? { ...quote, attribution } : quote];
}

/** Takes the last line away when it names who said it and is not all there is. */
function takeAttribution(node: Blockquote, parts: string[][], source: string): string | undefined {
  const last = parts.at(-1);
  const typed = asTyped(node, source).split('\n').at(-1) ?? '';
  if (!last || (parts.length === 1 && last.length === 1)) return undefined;
  if (NOBODY.test(typed)) last.pop();
  return ATTRIBUTION.test(typed) ? last.pop()?.replace(ATTRIBUTION, '') : undefined;
}

function textOf(runs: Run[]): string {
  return runs.map((run) => run.text).join('');
}

function asText(node: RootContent, source: string): Block[] {
  return asTyped(node, source)
    .split('\n')
    .map((text) => tidy([{ text: text.replace(/\p{Cc}/gu, ' ') }]))
    .filter((runs) => runs.length > 0)
    .map((runs) => ({ type: 'paragraph', runs }));
}
