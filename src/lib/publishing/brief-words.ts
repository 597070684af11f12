import { type Block, type Body, postAuthor, type Table, textOf } from '../domain/body/blocks.ts';
import { plainLine } from '../domain/cut-text.ts';
import type { ReaderPhoto } from '../domain/photos.ts';
import type { Messages } from '../i18n/messages.ts';

/** What a block needs to become words. */
type Context = {
  reader: Messages['reader'];
  /** Photos that readers may see. */
  photos: ReaderPhoto[];
  formatTime: (at: string) => string;
};

/** Returns a body as one line of plain text. Photos become their alt text, maps their place, tables their cells. */
export const bodyWords = (body: Body, context: Context): string =>
  joinSentences(body.map((block) => wordsOf(block, context)));

/** Joins texts on one line. A text without punctuation at its end gets a full stop, except the last one. */
export function joinSentences(texts: (string | null | undefined)[]): string {
  const lines = texts.map((text) => plainLine(text ?? '')).filter(Boolean);
  return lines
    .map((line, index) => (index === lines.length - 1 || /\p{P}$/u.test(line) ? line : `${line}.`))
    .join(' ');
}

function wordsOf(block: Block, { reader, photos, formatTime }: Context): string {
  switch (block.type) {
    case 'paragraph':
      return textOf(block.runs);
    case 'list':
      return block.items.map(textOf).join('; ');
    case 'quote':
      return withDetails(`“${block.text}”`, [block.attribution]);
    case 'link':
      return withDetails(joinSentences([block.title, block.description]), [block.site]);
    case 'media':
      return joinSentences([block.title, block.description]);
    case 'table':
      return withDetails(tableWords(block), [
        block.source,
        block.as_of && `${reader.asOf} ${formatTime(block.as_of)}`,
      ]);
    case 'map':
      return `[${reader.mapOf(block.name)}]`;
    case 'post':
      return withDetails(`“${block.text}”`, [
        postAuthor(block),
        block.network,
        block.gone_at && `${reader.post.gone} ${formatTime(block.gone_at)}`,
      ]);
    case 'photo': {
      const photo = photos.find(({ id }) => id === block.photo);
      return photo ? `[${photo.alt}]` : '';
    }
  }
}

const withDetails = (text: string, details: (string | undefined)[]): string => {
  const given = details.filter(Boolean);
  return given.length > 0 ? `${text} (${given.join(', ')})` : text;
};

/** The cells of a row are separated by commas, the rows by semicolons. Empty cells are left out. */
function tableWords({ caption, rows }: Table): string {
  const cells = rows.map((row) => row.map(textOf).filter(Boolean).join(', ')).filter(Boolean);
  return [caption, cells.join('; ')].filter(Boolean).join(': ');
}
