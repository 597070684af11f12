import type { Node, PhrasingContent, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { type Block, displayUrl, normalizeUrl, type Run, type Style, sameStyle } from './blocks.ts';

/** Markdown constructs that a body has no block for. They stay plain text, so that no text is lost. */
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

const PARSER = {
  extensions: [{ disable: { null: PLAIN } }, gfmTable()],
  mdastExtensions: [gfmTableFromMarkdown()],
};

/** Parses the Markdown of an update. */
export const parseTree = (source: string): Root => fromMarkdown(source, PARSER);

/** Returns the part of the source that a node was parsed from, exactly as typed. */
export function sourceOf(node: Node, source: string): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

/**
 * Converts inline Markdown to lines of runs. A line may be empty. Everything except bold, italic and valid links
 * stays as typed. A link without text shows its URL.
 * @param source the source that the nodes were parsed from
 */
export function inlineRuns(nodes: PhrasingContent[], source: string): Run[][] {
  return styledLines(nodes, source, {}).map(normalizeRuns);
}

function styledLines(nodes: PhrasingContent[], source: string, style: Style): Run[][] {
  const lines: Run[][] = [[]];
  for (const node of nodes) {
    const [first = [], ...rest] = linesOfNode(node, source, style);
    lines.at(-1)?.push(...first);
    lines.push(...rest);
  }
  return lines;
}

function linesOfNode(node: PhrasingContent, source: string, style: Style): Run[][] {
  switch (node.type) {
    case 'text':
      return plainLines(node.value, style);
    case 'break':
      return [[], []];
    case 'strong':
      return styledLines(node.children, source, { ...style, bold: true });
    case 'emphasis':
      return styledLines(node.children, source, { ...style, italic: true });
    case 'link': {
      const link = normalizeUrl(node.url);
      // A run has no place for a title.
      if (!link || node.title) return plainLines(sourceOf(node, source), style);
      if (node.children.length === 0) return plainLines(displayUrl(link), { ...style, link });
      return styledLines(node.children, source, { ...style, link });
    }
    default:
      return plainLines(sourceOf(node, source), style);
  }
}

function plainLines(text: string, style: Style): Run[][] {
  return text.split(/\r\n?|\n/).map((line) => [{ text: line.replace(/\p{Cc}/gu, ' '), ...style }]);
}

/** Normalises runs for the database: no empty runs, adjacent runs of one style joined, no white space at the ends. */
export function normalizeRuns(runs: Run[]): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last && sameStyle(last, run)) last.text += run.text;
    else if (run.text !== '') result.push({ ...run });
  }
  trimStart(result);
  trimEnd(result);
  return result;
}

function trimStart(runs: Run[]): void {
  for (let first = runs[0]; first; first = runs[0]) {
    first.text = first.text.trimStart();
    if (first.text !== '') return;
    runs.shift();
  }
}

function trimEnd(runs: Run[]): void {
  for (let last = runs.at(-1); last; last = runs.at(-1)) {
    last.text = last.text.trimEnd();
    if (last.text !== '') return;
    runs.pop();
  }
}

/** Joins lines with spaces. */
export function joined(lines: Run[][]): Run[] {
  return lines.flatMap((line) => [...line, { text: ' ' }]);
}

/** Returns each line of a node's source as a paragraph, as typed. */
export function paragraphsFromSource(node: RootContent, source: string): Block[] {
  return sourceOf(node, source)
    .split('\n')
    .map((text) => normalizeRuns([{ text: text.replace(/\p{Cc}/gu, ' ') }]))
    .filter((runs) => runs.length > 0)
    .map((runs) => ({ type: 'paragraph', runs }));
}
