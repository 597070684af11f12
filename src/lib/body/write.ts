import type { BlockContent, PhrasingContent } from 'mdast';
import { type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';
import type { Block, Body, Photo, Quote, Run } from './blocks.ts';
import { parseBody } from './parse.ts';
import { isPhotoLine } from './photo-lines.ts';
import { sameRuns, tidy } from './runs.ts';

/**
 * Writes a body as the Markdown that parseBody() reads back as the same blocks, for editing. Photos have no Markdown:
 * they are kept beside the text.
 * @param lineOf the line at which a photo stands in the text; without it, or for what has none, it is left out
 */
export function writeBody(body: Body, lineOf?: (photo: string) => string | undefined): string {
  const children = body.flatMap((block): BlockContent[] => {
    if (block.type !== 'photo') return [nodeOf(block)];
    const line = lineOf?.(block.photo);
    return line ? [{ type: 'html', value: line }] : [];
  });
  return toMarkdown({ type: 'root', children }, OPTIONS).trimEnd();
}

/** Puts down what is Markdown already, telling its neighbours which character it begins with. */
const verbatimly: Handle & { peek: Handle } = Object.assign((node: { value: string }) => node.value, {
  peek: (node: { value: string }) => node.value.charAt(0),
});

const OPTIONS: Options = {
  bullet: '-',
  bulletOther: '*',
  listItemIndent: 'one',
  emphasis: '*',
  resourceLink: true,
  handlers: { html: verbatimly },
  // Else a last line of a quote that begins with a dash would be read as who said it.
  unsafe: ['—', '―'].map((character) => ({ character, atBreak: true, inConstruct: 'blockquote' })),
};

function nodeOf(block: Exclude<Block, Photo>): BlockContent {
  switch (block.type) {
    case 'paragraph':
      return { type: 'paragraph', children: line(tidy(block.runs)) };
    case 'list':
      return {
        type: 'list',
        ordered: block.ordered === true,
        spread: false,
        children: block.items.map((runs) => ({
          type: 'listItem',
          spread: false,
          children: [{ type: 'paragraph', children: line(tidy(runs)) }],
        })),
      };
    case 'quote':
      return quoteNode(block);
    case 'link':
      // As it is, without escapes: an address alone on its line is read as one.
      return { type: 'paragraph', children: [verbatim(block.url)] };
  }
}

function quoteNode({ text, attribution }: Quote): BlockContent {
  const paragraphs = text.trim().split(/\n{2,}/);
  return {
    type: 'blockquote',
    children: paragraphs.map((paragraph, index) => {
      const children: PhrasingContent[] = [{ type: 'text', value: paragraph }];
      if (attribution && index === paragraphs.length - 1) {
        children.push(verbatim('\n— '), { type: 'text', value: attribution });
      }
      return { type: 'paragraph', children };
    }),
  };
}

/**
 * A line without the backslashes that it does not need, which are all that Markdown might need anywhere: people read
 * this.
 */
function line(runs: Run[]): PhrasingContent[] {
  const written = phrasing(runs);
  const careful = toMarkdown({ type: 'paragraph', children: written }, OPTIONS).trimEnd();
  const light = careful.replace(/\\(?=[!-/:-@[-`{-~])/g, '');
  if (light === careful || isPhotoLine(light)) return written;
  const [read, ...more] = parseBody(light);
  const isSame = read?.type === 'paragraph' && more.length === 0 && sameRuns(read.runs, runs);
  return isSame ? [verbatim(light)] : written;
}

type Mark = 'link' | 'bold' | 'italic';

/** Runs as nested marks, links outermost, neighbours that share one under one node. */
function phrasing(runs: Run[], marks: Mark[] = ['link', 'bold', 'italic']): PhrasingContent[] {
  const [mark, ...inner] = marks;
  if (!mark) return [{ type: 'text', value: runs.map((run) => run.text).join('') }];
  return neighbours(runs, mark).flatMap((group): PhrasingContent[] => {
    const children = phrasing(group, inner);
    const value = group[0]?.[mark];
    if (typeof value === 'string') return [{ type: 'link', url: value, children }];
    if (value) return [{ type: mark === 'bold' ? 'strong' : 'emphasis', children }];
    return children;
  });
}

function neighbours(runs: Run[], mark: Mark): Run[][] {
  const groups: Run[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last?.[0] && (last[0][mark] || undefined) === (run[mark] || undefined)) last.push(run);
    else groups.push([run]);
  }
  return groups;
}

function verbatim(value: string): PhrasingContent {
  return { type: 'html', value };
}
