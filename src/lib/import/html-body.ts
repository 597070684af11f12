import { type DefaultTreeAdapterMap, parseFragment } from 'parse5';
import { linkAddress } from '../body/addresses.ts';
import type { Block, Body, Run } from '../body/blocks.ts';
import { tidy } from '../body/runs.ts';
import { blockText } from '../body/text.ts';

/** In characters. More is no update, and it bounds what a file that was made to be slow can cost. */
export const LONGEST_HTML = 100_000;
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

type Style = Omit<Run, 'text'>;
type Node = DefaultTreeAdapterMap['childNode'];
type Element = DefaultTreeAdapterMap['element'];

/**
 * The words of an HTML text as blocks: paragraphs, lists and quotes, with what is bold, italic or a link. Everything
 * else of HTML is dropped, pictures too.
 * @param base what relative links are relative to; without one they are plain words
 * @throws TooDeep
 */
export function bodyFromHtml(html: string, base: string | undefined): Body {
  return blocksOf(parseFragment(html).childNodes, {}, base, 0);
}

function blocksOf(nodes: Node[], style: Style, base: string | undefined, depth: number): Body {
  const body: Body = [];
  let line: Run[] = [];

  const endLine = () => {
    const runs = tidy(spaced(line));
    if (runs.length > 0) body.push({ type: 'paragraph', runs });
    line = [];
  };
  const inner = (element: Element, style: Style, deep: number) =>
    blocksOf(element.childNodes, style, base, deep + 1);

  const write = (node: Node, style: Style, deep: number): void => {
    if (deep > DEEPEST) throw new TooDeep();
    if ('value' in node) line.push({ text: oneLine(node.value), ...style });
    if (!('tagName' in node)) return;
    const { tagName: name } = node;
    if (SILENT.has(name)) return;
    if (name === 'ul' || name === 'ol' || name === 'blockquote') {
      endLine();
      const block = name === 'blockquote' ? quoteOf(inner(node, {}, deep)) : listOf(node, style, deep);
      if (block) body.push(block);
      return;
    }
    const apart = PARAGRAPHS.has(name);
    if (apart) endLine();
    for (const child of node.childNodes) write(child, styleIn(node, style, base), deep + 1);
    // The cells of a row are parted, as its columns would part them.
    if (name === 'td' || name === 'th') line.push({ text: ' ', ...style });
    if (apart) endLine();
  };

  const listOf = (element: Element, style: Style, deep: number): Block | undefined => {
    // A list within an item becomes items after it.
    const items = inner(element, style, deep).flatMap(linesOf);
    const ordered = element.tagName === 'ol';
    return items.length > 0 ? { type: 'list', items, ...(ordered && { ordered }) } : undefined;
  };

  for (const node of nodes) write(node, style, depth);
  endLine();
  return body;
}

function styleIn({ tagName, attrs }: Element, style: Style, base: string | undefined): Style {
  if (BOLD.has(tagName)) return { ...style, bold: true };
  if (ITALIC.has(tagName)) return { ...style, italic: true };
  if (tagName !== 'a') return style;
  const href = attrs.find(({ name }) => name === 'href')?.value ?? '';
  const link = linkAddress(URL.parse(href.trim(), base)?.href ?? '');
  return link ? { ...style, link } : style;
}

function quoteOf(said: Body): Block | undefined {
  return said.length > 0 ? { type: 'quote', text: said.map(blockText).join('\n') } : undefined;
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
