import type { PhrasingContent } from 'mdast';
import { linkAddress } from './addresses.ts';
import type { Run } from './blocks.ts';
import { asTyped } from './source.ts';

type Style = Omit<Run, 'text'>;

/**
 * The lines of running Markdown, each as runs; a line may be empty. What is neither bold, italic nor a
 * link to somewhere stays as it was typed.
 * @param source the whole text that the nodes were read from
 */
export function linesOf(nodes: PhrasingContent[], source: string): Run[][] {
  return styledLines(nodes, source, {}).map(tidy);
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
      const link = linkAddress(node.url);
      return link
        ? styledLines(node.children, source, { ...style, link })
        : plainLines(asTyped(node, source), style);
    }
    default:
      return plainLines(asTyped(node, source), style);
  }
}

function plainLines(text: string, style: Style): Run[][] {
  return text.split(/\r\n?|\n/).map((line) => [{ text: line.replace(/\p{Cc}/gu, ' '), ...style }]);
}

/** Runs as the database stores them: none empty, neighbours of one style joined, no white space at the ends. */
export function tidy(runs: Run[]): Run[] {
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

/** Whether two lines say the same in the same way. */
export function sameRuns(a: Run[], b: Run[]): boolean {
  return a.length === b.length && a.every((run, n) => b[n] && run.text === b[n].text && sameStyle(run, b[n]));
}

function sameStyle(a: Style, b: Style): boolean {
  return !a.bold === !b.bold && !a.italic === !b.italic && a.link === b.link;
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
