import { bodyText, excerpt } from '../../domain/body/blocks.ts';
import { clockOf } from '../../domain/reader-coverage.ts';
import { fullTime, timeRelativeTo } from '../../domain/time.ts';
import { wordsIn } from '../../i18n/messages-in.ts';
import { reader } from '../../i18n/reader.ts';
import type { Entry } from './document.ts';

/** Characters of a title that an update without a headline is given where there must be one. */
const TITLE = 100;

/** What stands around an update's words, in the language of its coverage: as its page says it, in lines of text. */
export type Said = {
  /** That it is not verified, or not yet for sure: nobody may read it without that. How urgent it is, tags say. */
  doubt: string;
  /** Corrections and clarifications. */
  notes: { name: string; at: string; time: string; note: string }[];
  /** From where, from whom, when it happened. Who wrote it is said by the feed itself. */
  source: string;
};

export const readerWords = (language: string): typeof reader => wordsIn(reader, language);

export function saidOf({ update, coverage }: Entry): Said {
  const words = readerWords(coverage.language);
  const clock = clockOf(coverage);
  const { verification, dateline, attribution, occurred_at, published_at } = update;
  return {
    doubt: words.verification[verification],
    notes: update.notes.map(({ kind, note, at }) => ({
      name: words.note[kind],
      at,
      time: timeRelativeTo(at, published_at, clock),
      note,
    })),
    source: [
      dateline,
      attribution && words.source(attribution),
      occurred_at && words.happened(fullTime(occurred_at, clock)),
    ]
      .filter(Boolean)
      .join(' · '),
  };
}

/** The headline of an update, or how it begins. */
export function titleOf({ update, coverage }: Entry): string {
  const { headline, body, photos, number } = update;
  return headline ?? (excerpt(body, TITLE, photos) || readerWords(coverage.language).update(number));
}

/** All that an update says, as plain text. A photo is told by what it shows. */
export function contentText(entry: Entry): string {
  const { update, coverage } = entry;
  const { doubt, notes, source } = saidOf(entry);
  const photos = new Map(update.photos.map((photo) => [photo.id, photo]));
  const words = update.body.map((block) => {
    if (block.type !== 'photo') return bodyText([block]);
    const { alt, caption, credit } = photos.get(block.photo) ?? {};
    const by = credit && readerWords(coverage.language).photoBy(credit);
    return [alt && `[${alt}]`, caption, by].filter(Boolean).join(' ');
  });
  const told = notes.map(({ name, time, note }) => `${name}, ${time}: ${note}`);
  return [doubt, ...words, ...told, source].filter(Boolean).join('\n\n') || titleOf(entry);
}
