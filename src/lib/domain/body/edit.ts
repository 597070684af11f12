import { linkAddress, shortAddress } from './blocks.ts';

/** A text and what is chosen in it; where nothing is, the two are one place. Offsets are in UTF-16 units, as a field's are. */
export type Chosen = { text: string; from: number; to: number };

/** What is put where `from` to `to` stood, and what is chosen then. */
export type Edit = { from: number; to: number; put: string; choose: [number, number] };

const MARKS = { bold: 2, italic: 1 };

/** How a list's line begins, and a quote's. */
const ITEM = /^[^\S\n]*(?:[-*+]|(\d{1,9})[.)])[^\S\n]+/;
const QUOTED = /^[^\S\n]*>[^\S\n]?/;
/** The last line of a quote before anybody is named on it. */
const NOBODY_SAID = /^[^\S\n]*>[^\S\n]*(?:—|―|--)?[^\S\n]*$/;

/** Makes what is chosen (or the word that the caret is in) bold or italic; makes it plain where it is so already. */
export function toggleMark({ text, from, to }: Chosen, mark: keyof typeof MARKS): Edit {
  const size = MARKS[mark];
  if (from !== to) return markLines({ text, from, to }, size);
  const around = starsAround(text, from, from);
  if (around >= size && has(around, size)) return marked(text, { from, to, run: around }, -size);
  const ahead = starsAt(text, from, 1);
  if (has(ahead, size) && /\S/.test(text[from - 1] ?? '')) {
    return { from, to, put: '', choose: [from + size, from + size] };
  }
  const start = from - (/[\p{L}\p{N}\p{M}’-]*$/u.exec(text.slice(0, from))?.[0].length ?? 0);
  const end = from + (/^[\p{L}\p{N}\p{M}’-]*/u.exec(text.slice(from))?.[0].length ?? 0);
  const run = starsAround(text, start, end);
  const by = has(run, size) ? -size : size;
  const edit = marked(text, { from: start, to: end, run }, by);
  return { ...edit, choose: [from + by, from + by] };
}

/** Three stars are both. */
const has = (run: number, size: number) => run >= 3 || run === size;

type Core = { from: number; to: number; run: number };

/** Stars that stand in a row from a place on, or before it. One after a backslash is a star and no mark. */
function starsAt(text: string, at: number, step: 1 | -1): number {
  let count = 0;
  while (text[step === 1 ? at + count : at - count - 1] === '*') count += 1;
  const isEscaped = step === -1 && text[at - count - 1] === '\\';
  return Math.min(3, isEscaped ? count - 1 : count);
}

const starsAround = (text: string, from: number, to: number) =>
  Math.min(starsAt(text, from, -1), starsAt(text, to, 1));

function marked(text: string, { from, to, run }: Core, by: number): Edit {
  const stars = '*'.repeat(run + by);
  const start = from - run + stars.length;
  return {
    from: from - run,
    to: to + run,
    put: `${stars}${text.slice(from, to)}${stars}`,
    choose: [start, start + to - from],
  };
}

/** A line is a block of its own: each is marked by itself, after what makes it an item or a quote. */
function markLines(chosen: Chosen, size: number): Edit {
  const cores = coresOf(chosen);
  const by = cores.every(({ run }) => has(run, size)) ? -size : size;
  const changed = cores.filter(({ run }) => has(run, size) === by < 0);
  const [first, last] = [changed[0], changed.at(-1)];
  if (!first || !last)
    return { ...chosen, put: chosen.text.slice(chosen.from, chosen.to), choose: [chosen.from, chosen.to] };
  if (changed.length === 1) return marked(chosen.text, first, by);
  const from = first.from - first.run;
  let put = '';
  let at = from;
  for (const core of changed) {
    const edit = marked(chosen.text, core, by);
    put += chosen.text.slice(at, edit.from) + edit.put;
    at = edit.to;
  }
  return { from, to: at, put, choose: [from, from + put.length] };
}

function coresOf({ text, from, to }: Chosen): Core[] {
  const cores: Core[] = [];
  let start = from;
  for (const line of text.slice(from, to).split('\n')) {
    const isWhole = start === 0 || text[start - 1] === '\n';
    const lead = isWhole ? ((ITEM.exec(line) ?? QUOTED.exec(line))?.[0].length ?? 0) : 0;
    const words = line.slice(lead);
    const core = {
      from: start + lead + words.length - words.trimStart().length,
      to: start + lead + words.trimEnd().length,
    };
    while (core.to - core.from > 1 && text[core.from] === '*' && text[core.to - 1] === '*') {
      core.from += 1;
      core.to -= 1;
    }
    if (core.to > core.from) cores.push({ ...core, run: starsAround(text, core.from, core.to) });
    start += line.length + 1;
  }
  return cores;
}

/** Makes the lines that are chosen a list or a quote, or plain lines again. A new quote asks who said it. */
export function toggleLines({ text, from, to }: Chosen, kind: 'list' | 'quote'): Edit {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const end = to + lineRest(text, to).length;
  const lines = text.slice(start, end).split('\n');
  const mark = kind === 'list' ? ITEM : QUOTED;
  const said = lines.filter((line) => line.trim() !== '');
  const isOff = said.length > 0 && said.every((line) => mark.test(line));
  const plain = (line: string) => line.replace(ITEM, '').replace(QUOTED, '');
  const changed = lines.map((line) => {
    if (isOff) return line.replace(mark, '');
    if (line.trim() === '' && lines.length > 1) return kind === 'quote' ? '>' : line;
    return `${kind === 'list' ? '- ' : '> '}${plain(line)}`;
  });
  if (!isOff && kind === 'quote' && said.length > 0) changed.push('> — ');
  const block = changed.join('\n');
  // Else a plain line beside it would be read as a part of it.
  const before = text.slice(0, start).split('\n').at(-2) ?? '';
  const after = text.slice(end).split('\n')[1] ?? '';
  const isMarked = (line: string) => ITEM.test(line) || QUOTED.test(line);
  const lead = isOff && isMarked(before) ? '\n' : '';
  const trail = !isOff && after.trim() !== '' && !isMarked(after) ? '\n' : '';
  const put = `${lead}${block}${trail}`;
  const last = start + lead.length + block.length;
  const isOne = from === to || (!isOff && kind === 'quote');
  return { from: start, to: end, put, choose: isOne ? [last, last] : [start + lead.length, last] };
}

const lineRest = (text: string, at: number) => text.slice(at).split('\n', 1)[0] ?? '';

/** Each part as long as it may be: a text may begin ten thousand links and end none. */
const LINK = /\[([^\]\n]{0,2000})\]\((?:<[^>\n]{0,2048}>|[^)\s]{0,2048})\)/g;
const NO_ADDRESS = 'https://';

/**
 * Makes what is chosen a link, or plain words where it is one.
 * @param url where it leads; without it that is what is to be typed next
 * @returns null where it cannot be one: a link stands in a line
 */
export function toggleLink({ text, from, to }: Chosen, url?: string): Edit | null {
  const words = text.slice(from, to);
  if (words.includes('\n')) return null;
  const within = url ? undefined : linkAround(text, from, to);
  if (within) return within;
  const address = url ?? linkAddress(words.trim());
  const isAddress = !url && address !== null;
  const label = isAddress ? shortAddress(address) : words;
  const target = address ?? NO_ADDRESS;
  const put = `[${label}](${/[()]/.test(target) ? `<${target}>` : target})`;
  const at = from + label.length + 3;
  if (url) return { from, to, put, choose: [from + put.length, from + put.length] };
  const isTargetNext = words !== '' && !isAddress;
  return {
    from,
    to,
    put,
    choose: isTargetNext ? [at, at + target.length] : [from + 1, from + 1 + label.length],
  };
}

function linkAround(text: string, from: number, to: number): Edit | undefined {
  for (const { 0: whole, 1: words = '', index } of text.matchAll(LINK)) {
    if (index <= from && to <= index + whole.length) {
      return { from: index, to: index + whole.length, put: words, choose: [index, index + words.length] };
    }
  }
  return undefined;
}

/**
 * What Enter does in a list or a quote: goes on with it, and ends it where nothing was said.
 * @returns null where it is a line break like any other
 */
export function nextLine({ text, from, to }: Chosen): Edit | null {
  if (from !== to) return null;
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const line = text.slice(start, from) + lineRest(text, from);
  const lead = (ITEM.exec(line) ?? QUOTED.exec(line))?.[0] ?? '';
  if (lead === '' || from < start + lead.length) return null;
  if (line.length === lead.length || NOBODY_SAID.test(line)) {
    // An empty line is the end: what comes next on the very next line would still be a part.
    const isAfter =
      start > 0 &&
      text
        .slice(0, start - 1)
        .split('\n')
        .at(-1)
        ?.trim() !== '';
    const put = isAfter ? '\n' : '';
    return { from: start, to: start + line.length, put, choose: [start + put.length, start + put.length] };
  }
  const put = `\n${lead.replace(/\d+/, (number) => `${Number(number) + 1}`)}`;
  return { from, to, put, choose: [from + put.length, from + put.length] };
}

/** Puts Markdown where something is chosen: within a line, or as blocks that stand apart from what is around them. */
export function putIn({ text, from, to }: Chosen, markdown: string, isInline: boolean): Edit {
  const before = text.slice(0, from);
  const after = text.slice(to);
  const lead =
    isInline || before.trim() === ''
      ? ''
      : '\n'.repeat(2 - Math.min(2, /\n*$/.exec(before)?.[0].length ?? 0));
  const trail =
    isInline || after.trim() === '' ? '' : '\n'.repeat(2 - Math.min(2, /^\n*/.exec(after)?.[0].length ?? 0));
  const at = from + lead.length + markdown.length;
  return { from, to, put: `${lead}${markdown}${trail}`, choose: [at, at] };
}

/** Puts a block after the line that the caret is in. */
export function putBelow({ text, to }: Chosen, markdown: string): Edit {
  const end = to + lineRest(text, to).length;
  return putIn({ text, from: end, to: end }, markdown, false);
}
