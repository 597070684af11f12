import type { Block, Body, Run } from './blocks.ts';

const textOf = (runs: Run[]) => runs.map((run) => run.text).join('');

/** The words of one block; the items of a list and the parts of a quote or link stand on lines of their own. A photo has none. */
export function blockText(block: Block): string {
  switch (block.type) {
    case 'paragraph':
      return textOf(block.runs);
    case 'list':
      return block.items.map(textOf).join('\n');
    case 'quote':
      return lines(block.text, block.attribution);
    case 'link':
      return lines(block.title, block.description, block.site);
    case 'photo':
      return '';
  }
}

const lines = (...parts: (string | undefined)[]) => parts.filter(Boolean).join('\n');

/** A body as plain text, blocks parted by a blank line: what the database counts and searches too. */
export function bodyText(body: Body): string {
  return body.map(blockText).filter(Boolean).join('\n\n');
}

/**
 * The beginning of a body on one line, cut between words, for a description or a list. `most` is in characters.
 * @param photos those of the body: where it has no words, what they show is told
 */
export function excerpt(body: Body, most: number, photos: readonly { alt: string | null }[] = []): string {
  const text = bodyText(body) || photos.map(({ alt }) => alt ?? '').join(' ');
  return shorten(text.replace(/\s+/g, ' ').trim(), most);
}

/** A line cut between words to at most so many characters, with an ellipsis where something is missing. */
export function shorten(line: string, most: number): string {
  const characters = [...line];
  if (characters.length <= most) return line;
  const cut = characters.slice(0, most - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > most / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:–—-]+$/, '')}…`;
}
