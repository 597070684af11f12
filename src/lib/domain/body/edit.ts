import { linkAddress, shortAddress } from './blocks.ts';

/**
 * A text and its selection. `from` equals `to` when nothing is selected. Offsets are in UTF-16 units, as in a text
 * field.
 */
export type Chosen = { text: string; from: number; to: number };

/** Replacement for the text between `from` and `to`, and the selection after it. */
export type Edit = { from: number; to: number; put: string; choose: [number, number] };

const MARKS = { bold: 2, italic: 1 };

/** Start of a line of a list; start of a line of a quote. */
const ITEM = /^[^\S\n]*(?:[-*+]|(\d{1,9})[.)])[^\S\n]+/;
const QUOTED = /^[^\S\n]*>[^\S\n]?/;
/** Last line of a quote without a name in it. */
const NOBODY_SAID = /^[^\S\n]*>[^\S\n]*(?:—|―|--)?[^\S\n]*$/;

/** Makes the selection, or the word at the caret, bold or italic. Removes the formatting if it is already there. */
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

/** Three stars are bold and italic. */
const has = (run: number, size: number) => run >= 3 || run === size;

type Core = { from: number; to: number; run: number };

/**
 * Counts the consecutive stars after (`step` 1) or before (-1) a position, at most 3. A star after a backslash does
 * not count.
 */
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

/**
 * Formats each selected line separately, because Markdown does not carry emphasis across blocks. Leaves list and
 * quote markers out.
 */
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

/**
 * Turns the selected lines into a list or quote, or back into plain lines. A new quote ends with a line for its
 * attribution.
 */
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
  // Without a blank line, Markdown would read a neighbouring plain line as part of the list or quote.
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

/** Every part has a maximum length, so that a text with thousands of unclosed brackets is matched quickly. */
const LINK = /\[([^\]\n]{0,2000})\]\((?:<[^>\n]{0,2048}>|[^)\s]{0,2048})\)/g;
const NO_ADDRESS = 'https://';

/**
 * Turns the selection into a link, or a link into plain text.
 * @param url target of the link. Without it, the edit selects the part that has to be typed next.
 * @returns null if the selection spans several lines
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
 * Returns the edit for Enter in a list or quote: continues it, or ends it if the line is empty.
 * @returns null if Enter is a plain line break
 */
export function nextLine({ text, from, to }: Chosen): Edit | null {
  if (from !== to) return null;
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const line = text.slice(start, from) + lineRest(text, from);
  const lead = (ITEM.exec(line) ?? QUOTED.exec(line))?.[0] ?? '';
  if (lead === '' || from < start + lead.length) return null;
  if (line.length === lead.length || NOBODY_SAID.test(line)) {
    // Two line breaks end the list: Markdown would read a line directly below it as part of it.
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

/** Inserts Markdown at the selection: within a line, or as blocks with a blank line before and after. */
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

/** Inserts a block after the line that contains the caret. */
export function putBelow({ text, to }: Chosen, markdown: string): Edit {
  const end = to + lineRest(text, to).length;
  return putIn({ text, from: end, to: end }, markdown, false);
}
