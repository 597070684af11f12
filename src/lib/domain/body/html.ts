import { LIMITS } from '../limits.ts';
import { type Block, type Body, blockText, type List, linkAddress, type Run } from './blocks.ts';
import { tidy, writeBody } from './source.ts';

/** Maximum nesting of elements. Deeper documents would overflow the call stack. */
const DEEPEST = 1_000;

/** The elements of a document are nested too deeply. */
export class TooDeep extends Error {
  override name = 'TooDeep';
}

const words = (names: string) => new Set(names.split(' '));
const BOLD = words('b strong h1 h2 h3 h4 h5 h6 th dt');
const ITALIC = words('i em cite dfn var');
/** Elements that start and end a paragraph. */
const PARAGRAPHS = words(
  'address article aside body br dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr html li main nav p pre section summary table tr',
);
/** Elements whose content is not text for readers. */
const SILENT = words(
  'audio canvas embed head iframe math noscript object script select style svg template textarea title video',
);

/**
 * Interface to parsed HTML, independent of the parser. Names are in lower case. A missing attribute is an empty
 * string.
 */
export type HtmlNode = { text: string } | HtmlElement;
export type HtmlElement = { name: string; attribute(name: string): string; children(): HtmlNode[] };

type Style = Omit<Run, 'text'>;

/**
 * Converts HTML to blocks: paragraphs, lists and quotes with bold, italic and links. Drops everything else, including
 * images.
 * @param base URL that relative links are resolved against. Without it they become plain text.
 * @throws TooDeep
 */
export function bodyOfHtml(nodes: HtmlNode[], base: string | undefined, style: Style = {}, depth = 0): Body {
  const body: Body = [];
  let line: Run[] = [];
  /** List that collects consecutive list paragraphs of a word processor. */
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
    // A space separates the cells of a row.
    if (name === 'td' || name === 'th') line.push({ text: ' ', ...style });
    if (apart) endLine();
  };

  const listOf = (element: HtmlElement, style: Style, deep: number): Block | undefined => {
    // Items of a nested list are appended after the item that contains them.
    const items = inner(element, style, deep).flatMap(linesOf);
    const ordered = element.name === 'ol';
    return items.length > 0 ? { type: 'list', items, ...(ordered && { ordered }) } : undefined;
  };

  for (const node of nodes) write(node, style, depth);
  endLine();
  return body;
}

/** Styles of hidden content, and of the bullets and numbers that word processors write before list items. */
const UNSEEN =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|mso-list\s*:\s*ignore)/i;
/** Style of a paragraph that is a list item in a word processor. */
const LISTED = /(?:^|;)\s*mso-list\s*:\s*(?!ignore|none)\S/i;
const NUMBER = /^\s*\(?[0-9a-z]{1,4}[.)]/i;

/** Returns the bullet or number before a word processor's list item. */
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
  // The style wins over the element name: browsers wrap everything that they copy into one <b>.
  const weight = /(?:^|;)\s*font-weight\s*:\s*(\w+)/i.exec(look)?.[1];
  if (weight) bold = /^(?:bold|bolder|[6-9]\d\d)$/i.test(weight);
  const slant = /(?:^|;)\s*font-style\s*:\s*(\w+)/i.exec(look)?.[1];
  if (slant) italic = /^(?:italic|oblique)$/i.test(slant);
  const inked = { ...style, ...(bold && { bold }), ...(italic && { italic }) };
  if (name !== 'a') return inked;
  const link = linkAddress(URL.parse(attribute('href').trim(), base)?.href ?? '');
  return link ? { ...inked, link } : inked;
}

/** Last line of a quote, with its attribution. */
const SAID_BY = /^(?:—|―|–|--?)\s*(\S[^\n]*)$/;

function quoteOf(said: Body): Block | undefined {
  const lines = said.map(blockText);
  const attribution = lines.length > 1 ? SAID_BY.exec(lines.at(-1) ?? '')?.[1] : undefined;
  if (attribution && [...attribution].length <= LIMITS.attribution) {
    return { type: 'quote', text: lines.slice(0, -1).join('\n'), attribution };
  }
  return said.length > 0 ? { type: 'quote', text: lines.join('\n') } : undefined;
}

/** Returns the lines of a block as list items. */
function linesOf(block: Block): Run[][] {
  if (block.type === 'paragraph') return [block.runs];
  if (block.type === 'list') return block.items;
  return blockText(block)
    .split('\n')
    .map((text) => [{ text }]);
}

const oneLine = (text: string) => text.replace(/[\p{Cc}\s]+/gu, ' ');

/** Removes a leading space from a run if the run before it ends with one. */
function spaced(runs: Run[]): Run[] {
  return runs.map((run, n) =>
    runs[n - 1]?.text.endsWith(' ') ? { ...run, text: run.text.replace(/^ /, '') } : run,
  );
}

/** Converts a pasted body to Markdown. `isInline` says whether it belongs inside the current line. */
export function pastedText(body: Body): { markdown: string; isInline: boolean } {
  const blocks = body.map(clean);
  return { markdown: writeBody(blocks), isInline: blocks.length === 1 && blocks[0]?.type === 'paragraph' };
}

function clean(block: Block): Block {
  if (block.type === 'list') return { ...block, items: block.items.map(plainSpaces) };
  if (block.type !== 'paragraph') return block;
  const runs = plainSpaces(block.runs);
  const [only, ...others] = runs;
  // A copied URL that links to itself is a link block.
  if (only?.link && others.length === 0 && [only.link, only.link.replace(/\/$/, '')].includes(only.text)) {
    return { type: 'link', url: only.link, title: only.text };
  }
  return { ...block, runs };
}

/** Removes the formatting of leading and trailing white space, because people copy words with the space after them. */
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
