import { LIMITS } from '../limits.ts';
import { type Block, type Body, blockText, type List, linkAddress, type Run } from './blocks.ts';
import { tidy, writeBody } from './source.ts';

/** Elements in one another: what a call may hold of them. */
const DEEPEST = 1_000;

/** The elements of a text stand too deep in one another. */
export class TooDeep extends Error {
  override name = 'TooDeep';
}

const words = (names: string) => new Set(names.split(' '));
const BOLD = words('b strong h1 h2 h3 h4 h5 h6 th dt');
const ITALIC = words('i em cite dfn var');
/** What begins and ends a paragraph. */
const PARAGRAPHS = words(
  'address article aside body br dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr html li main nav p pre section summary table tr',
);
/** What is not there to be read. */
const SILENT = words(
  'audio canvas embed head iframe math noscript object script select style svg template textarea title video',
);

/** What is read of HTML, whoever has parsed it. Names are in lower case; of an attribute that is not there the text is empty. */
export type HtmlNode = { text: string } | HtmlElement;
export type HtmlElement = { name: string; attribute(name: string): string; children(): HtmlNode[] };

type Style = Omit<Run, 'text'>;

/**
 * The words of an HTML text as blocks: paragraphs, lists and quotes, with what is bold, italic or a link. Everything
 * else of HTML is dropped, pictures too.
 * @param base what relative links are relative to; without one they are plain words
 * @throws TooDeep
 */
export function bodyOfHtml(nodes: HtmlNode[], base: string | undefined, style: Style = {}, depth = 0): Body {
  const body: Body = [];
  let line: Run[] = [];
  /** The list that paragraphs of a word processor are becoming, as long as nothing else comes. */
  let run: List | undefined;

  const push = (block: Block | undefined) => {
    if (block) body.push(block);
    run = undefined;
  };
  const endLine = () => {
    const runs = tidy(spaced(line));
    if (runs.length > 0) push({ type: 'paragraph', runs });
    line = [];
  };
  const inner = (element: HtmlElement, style: Style, deep: number) =>
    bodyOfHtml(element.children(), base, style, deep + 1);

  const write = (node: HtmlNode, style: Style, deep: number): void => {
    if (deep > DEEPEST) throw new TooDeep();
    if ('text' in node) {
      line.push({ text: oneLine(node.text), ...style });
      return;
    }
    const { name } = node;
    const look = node.attribute('style');
    if (SILENT.has(name) || UNSEEN.test(look)) return;
    if (name === 'ul' || name === 'ol' || name === 'blockquote') {
      endLine();
      push(name === 'blockquote' ? quoteOf(inner(node, {}, deep)) : listOf(node, style, deep));
      return;
    }
    if (LISTED.test(look)) {
      endLine();
      const items = inner(node, style, deep).flatMap(linesOf);
      const ordered = NUMBER.test(markerOf(node));
      if (run?.ordered === ordered) run.items.push(...items);
      else if (items.length > 0) {
        const list: List = { type: 'list', ordered, items };
        push(list);
        run = list;
      }
      return;
    }
    const apart = PARAGRAPHS.has(name);
    if (apart) endLine();
    for (const child of node.children()) write(child, styleIn(node, look, style, base), deep + 1);
    // The cells of a row are parted, as its columns would part them.
    if (name === 'td' || name === 'th') line.push({ text: ' ', ...style });
    if (apart) endLine();
  };

  const listOf = (element: HtmlElement, style: Style, deep: number): Block | undefined => {
    // A list within an item becomes items after it.
    const items = inner(element, style, deep).flatMap(linesOf);
    const ordered = element.name === 'ol';
    return items.length > 0 ? { type: 'list', items, ...(ordered && { ordered }) } : undefined;
  };

  for (const node of nodes) write(node, style, depth);
  endLine();
  return body;
}

/** What is there and not seen; and the bullets and numbers that a word processor writes out before its items. */
const UNSEEN =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|mso-list\s*:\s*ignore)/i;
/** A word processor's item of a list: a paragraph that says so. */
const LISTED = /(?:^|;)\s*mso-list\s*:\s*(?!ignore|none)\S/i;
const NUMBER = /^\s*\(?[0-9a-z]{1,4}[.)]/i;

/** The bullet or number before such an item. */
function markerOf(element: HtmlElement): string {
  for (const child of element.children()) {
    if ('text' in child) continue;
    const marker = /mso-list\s*:\s*ignore/i.test(child.attribute('style')) ? wordsOf(child) : markerOf(child);
    if (marker) return marker;
  }
  return '';
}

const wordsOf = (node: HtmlNode): string =>
  'text' in node ? node.text : node.children().map(wordsOf).join('');

function styleIn(
  { name, attribute }: HtmlElement,
  look: string,
  outer: Style,
  base: string | undefined,
): Style {
  let { bold, italic, ...style } = outer;
  if (BOLD.has(name)) bold = true;
  if (ITALIC.has(name)) italic = true;
  // What is said of its look counts more than what it is: editors in browsers put all they copy into one <b>.
  const weight = /(?:^|;)\s*font-weight\s*:\s*(\w+)/i.exec(look)?.[1];
  if (weight) bold = /^(?:bold|bolder|[6-9]\d\d)$/i.test(weight);
  const slant = /(?:^|;)\s*font-style\s*:\s*(\w+)/i.exec(look)?.[1];
  if (slant) italic = /^(?:italic|oblique)$/i.test(slant);
  const inked = { ...style, ...(bold && { bold }), ...(italic && { italic }) };
  if (name !== 'a') return inked;
  const link = linkAddress(URL.parse(attribute('href').trim(), base)?.href ?? '');
  return link ? { ...inked, link } : inked;
}

/** A last line that names who said it. */
const SAID_BY = /^(?:—|―|–|--?)\s*(\S[^\n]*)$/;

function quoteOf(said: Body): Block | undefined {
  const lines = said.map(blockText);
  const attribution = lines.length > 1 ? SAID_BY.exec(lines.at(-1) ?? '')?.[1] : undefined;
  if (attribution && [...attribution].length <= LIMITS.attribution) {
    return { type: 'quote', text: lines.slice(0, -1).join('\n'), attribution };
  }
  return said.length > 0 ? { type: 'quote', text: lines.join('\n') } : undefined;
}

/** The lines of a block, as the items of a list. */
function linesOf(block: Block): Run[][] {
  if (block.type === 'paragraph') return [block.runs];
  if (block.type === 'list') return block.items;
  return blockText(block)
    .split('\n')
    .map((text) => [{ text }]);
}

const oneLine = (text: string) => text.replace(/[\p{Cc}\s]+/gu, ' ');

/** White space at the end of one run and the start of the next is one space. */
function spaced(runs: Run[]): Run[] {
  return runs.map((run, n) =>
    runs[n - 1]?.text.endsWith(' ') ? { ...run, text: run.text.replace(/^ /, '') } : run,
  );
}

/** What was copied elsewhere as Markdown, and whether it belongs into the line that it is pasted into. */
export function pastedText(body: Body): { markdown: string; isInline: boolean } {
  const blocks = body.map(clean);
  return { markdown: writeBody(blocks), isInline: blocks.length === 1 && blocks[0]?.type === 'paragraph' };
}

function clean(block: Block): Block {
  if (block.type === 'list') return { ...block, items: block.items.map(plainSpaces) };
  if (block.type !== 'paragraph') return block;
  const runs = plainSpaces(block.runs);
  const [only, ...others] = runs;
  // An address that was copied as a link to itself.
  if (only?.link && others.length === 0 && [only.link, only.link.replace(/\/$/, '')].includes(only.text)) {
    return { type: 'link', url: only.link, title: only.text };
  }
  return { ...block, runs };
}

/** White space at the ends of what is marked is not marked: people copy a word with the space after it. */
function plainSpaces(runs: Run[]): Run[] {
  const parted = tidy(runs).flatMap((run) => {
    const { text, ...style } = run;
    const words = text.trim();
    if (words === '') return [{ text: ' ' }];
    const start = text.slice(0, text.indexOf(words));
    const end = text.slice(start.length + words.length);
    return [{ text: start }, { text: words, ...style }, { text: end }];
  });
  return tidy(parted);
}
