import type { BlockContent, Table as MarkdownTable, PhrasingContent } from 'mdast';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';
import { localTime, utcFromLocal } from '../local-time.ts';
import { machineTime } from '../time.ts';
import {
  type Block,
  type Body,
  type Media,
  type Photo,
  type Post,
  type Run,
  sameStyle,
  type Table,
  textOf,
} from './blocks.ts';
import { normalizeRuns } from './parse-inline.ts';
import { tableLines } from './parse-table.ts';
import { isPhotoMarker } from './photo-markers.ts';
import { geoUri } from './places.ts';
import { mediaTitle, parseBody } from './source.ts';
import type { TablePreset } from './table-presets.ts';

/** How the lines below a table are written. */
export type TableWords = {
  /** Zone of the times of data. */
  timeZone: string;
  /** Name of a preset in the language of the interface. */
  nameOf(preset: TablePreset): string;
};

const PLAIN_WORDS: TableWords = { timeZone: 'UTC', nameOf: (preset) => preset };

/**
 * Writes a body as Markdown for editing. parseBody() reads it back as the same blocks, in the same time zone.
 * @param lineOf returns the marker line of a photo. Photos without one are left out.
 */
export function writeBody(
  body: Body,
  lineOf?: (photo: string) => string | undefined,
  words: TableWords = PLAIN_WORDS,
): string {
  const children = body.flatMap((block): BlockContent[] => {
    if (block.type !== 'photo') return [nodeOf(block, words)];
    const line = lineOf?.(block.photo);
    return line ? [{ type: 'html', value: line }] : [];
  });
  return toMarkdown({ type: 'root', children }, OPTIONS).trimEnd();
}

/** Writes a node's Markdown unchanged. `peek` returns its first character, as the serializer requires. */
const verbatimHandler: Handle & { peek: Handle } = Object.assign((node: { value: string }) => node.value, {
  peek: (node: { value: string }) => node.value.charAt(0),
});

const OPTIONS: Options = {
  bullet: '-',
  bulletOther: '*',
  listItemIndent: 'one',
  emphasis: '*',
  resourceLink: true,
  handlers: { html: verbatimHandler },
  extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
  // Escapes a dash at the start of a quote's line, which would be read as the attribution.
  unsafe: ['—', '―'].map((character) => ({ character, atBreak: true, inConstruct: 'blockquote' })),
};

function nodeOf(block: Exclude<Block, Photo>, words: TableWords): BlockContent {
  switch (block.type) {
    case 'paragraph':
      return { type: 'paragraph', children: line(normalizeRuns(block.runs)) };
    case 'list':
      return {
        type: 'list',
        ordered: block.ordered === true,
        spread: false,
        children: block.items.map((runs) => ({
          type: 'listItem',
          spread: false,
          children: [{ type: 'paragraph', children: line(normalizeRuns(runs)) }],
        })),
      };
    case 'quote':
      return quoteNode(
        block.text,
        block.attribution ? { type: 'text', value: block.attribution } : undefined,
      );
    case 'post':
      return quoteNode(block.text, postLink(block));
    case 'table':
      return tableNode(block, words);
    case 'map': {
      const children: PhrasingContent[] = [{ type: 'text', value: block.name }];
      return { type: 'paragraph', children: [{ type: 'link', url: geoUri(block), children }] };
    }
    case 'media':
      return mediaNode(block);
    case 'link':
      // Written without escapes: a URL alone on its line is a link block.
      return { type: 'paragraph', children: [verbatim(block.url)] };
  }
}

/** @param attribution the end of the last line, after a dash */
function quoteNode(text: string, attribution: PhrasingContent | undefined): BlockContent {
  const paragraphs = text.trim().split(/\n{2,}/);
  return {
    type: 'blockquote',
    children: paragraphs.map((paragraph, index) => {
      // One node per line: in one text, the writer escapes only the first of two marker lines such as `-` and `- a`.
      const children = paragraph
        .split('\n')
        .flatMap((value): PhrasingContent[] => [verbatim('\n'), { type: 'text', value }])
        .slice(1);
      if (attribution && index === paragraphs.length - 1) {
        children.push(verbatim('\n— '), attribution);
      }
      return { type: 'paragraph', children };
    }),
  };
}

/** The author as a link to the post. Its title holds the other parts, as parseBody() reads them. */
function postLink({ url, author, handle, network, ...times }: Post): PhrasingContent {
  const { posted_at = '', quoted_at, gone_at } = times;
  const spans = [posted_at, quoted_at, ...(gone_at ? [gone_at] : [])].join('/');
  const title = [handle, network, spans].filter(Boolean).join(' ');
  return { type: 'link', url, title, children: [{ type: 'text', value: author }] };
}

/** Lines without escapes, because the parser reads them as typed. */
function mediaNode({ url, title, description }: Media): BlockContent {
  const texts = [
    ...(description || title !== mediaTitle(url) ? [title] : []),
    ...(description?.split('\n') ?? []),
  ];
  const lines = texts.map((text) => `: ${text}`.trimEnd());
  return { type: 'html', value: [url, ...lines].join('\n') };
}

function tableNode(
  { rows, align, caption, source, as_of, preset, csv }: Table,
  words: TableWords,
): BlockContent {
  const node: MarkdownTable = {
    type: 'table',
    align: align?.map((alignment) =>
      alignment === 'start' ? null : alignment === 'end' ? 'right' : 'center',
    ),
    children: rows.map((cells) => ({
      type: 'tableRow',
      children: cells.map((runs) => ({ type: 'tableCell', children: phrasing(normalizeRuns(runs)) })),
    })),
  };
  const fields = {
    caption,
    source,
    as_of: as_of && localLine(as_of, words.timeZone),
    preset: preset && words.nameOf(preset).toLowerCase(),
    csv,
  };
  const lines = [toMarkdown(node, OPTIONS).trimEnd(), ...tableLines(fields)];
  return { type: 'html', value: lines.join('\n') };
}

/** Writes a time in a zone if it can be read back, which seconds and a repeated hour cannot. */
function localLine(at: string, timeZone: string): string {
  const local = localTime(at, timeZone);
  const read = utcFromLocal(local, timeZone);
  return read && machineTime(read) === at ? local.replace('T', ' ') : at;
}

/** Number at the start of a line. It is escaped, because it would continue a list before or after the line. */
const LIST_NUMBER = /^\d{1,9}[.)](?:\s|$)/;

/**
 * Writes a line without unnecessary backslashes, because people read and edit it. Falls back to the escaped form if
 * the unescaped form would be parsed differently.
 */
function line(runs: Run[]): PhrasingContent[] {
  const written = phrasing(runs);
  const escaped = toMarkdown({ type: 'paragraph', children: written }, OPTIONS).trimEnd();
  const unescaped = escaped.replace(/\\(?=[!-/:-@[-`{-~])/g, '');
  if (unescaped === escaped || isPhotoMarker(unescaped) || LIST_NUMBER.test(unescaped)) return written;
  const [read, ...more] = parseBody(unescaped);
  const isSame = read?.type === 'paragraph' && more.length === 0 && sameRuns(read.runs, runs);
  return isSame ? [verbatim(unescaped)] : written;
}

type Mark = 'link' | 'bold' | 'italic';

/** Converts runs to nested marks, links outermost. Adjacent runs with the same mark share one node. */
function phrasing(runs: Run[], marks: Mark[] = ['link', 'bold', 'italic']): PhrasingContent[] {
  const [mark, ...inner] = marks;
  if (!mark) return [{ type: 'text', value: textOf(runs) }];
  return groupAdjacent(runs, mark).flatMap((group): PhrasingContent[] => {
    const children = phrasing(group, inner);
    const value = group[0]?.[mark];
    if (typeof value === 'string') return [{ type: 'link', url: value, children }];
    if (value) return [{ type: mark === 'bold' ? 'strong' : 'emphasis', children }];
    return children;
  });
}

function groupAdjacent(runs: Run[], mark: Mark): Run[][] {
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

/** Compares two lines by text and formatting. */
function sameRuns(a: Run[], b: Run[]): boolean {
  return a.length === b.length && a.every((run, n) => b[n] && run.text === b[n].text && sameStyle(run, b[n]));
}
