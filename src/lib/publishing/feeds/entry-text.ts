import { bodyText, excerpt } from '../../domain/body/blocks.ts';
import { clockOf } from '../../domain/reader-coverage.ts';
import { fullTime, timeRelativeTo } from '../../domain/time.ts';
import { messagesFor } from '../../i18n/messages.server.ts';
import type { Messages } from '../../i18n/messages.ts';
import type { FeedEntry } from './document.ts';

/** Maximum number of characters of a title made from the body. */
const TITLE_LENGTH = 100;

/** Texts that accompany the body of an update, in the language of its coverage. */
type EntryText = {
  /** Verification label, if the update is not confirmed. Urgency is a tag. */
  verification: string;
  /** Corrections and clarifications. */
  notes: { name: string; at: string; time: string; note: string }[];
  /** Dateline, source and time of the event. The feed format names the writers. */
  source: string;
};

/** Returns the readers' messages in the language of a coverage; in the page's if that is not supported. */
export const readerMessages = (messages: Messages, language: string): Messages['reader'] =>
  messagesFor(language, messages.language).reader;

export function entryTextOf(messages: Messages, { update, coverage }: FeedEntry): EntryText {
  const reader = readerMessages(messages, coverage.language);
  const clock = clockOf(coverage);
  const { verification, dateline, attribution, occurred_at, published_at } = update;
  return {
    verification: reader.verification[verification],
    notes: update.notes.map(({ kind, note, at }) => ({
      name: reader.note[kind],
      at,
      time: timeRelativeTo(at, published_at, clock),
      note,
    })),
    source: [
      dateline,
      attribution && reader.source(attribution),
      occurred_at && reader.happened(fullTime(occurred_at, clock)),
    ]
      .filter(Boolean)
      .join(' · '),
  };
}

/** Returns the headline of an update, or its beginning. */
export function titleOf(messages: Messages, { update, coverage }: FeedEntry): string {
  const { headline, body, photos, number } = update;
  return (
    headline ??
    (excerpt(body, TITLE_LENGTH, photos) || readerMessages(messages, coverage.language).update(number))
  );
}

/** Returns the complete update as plain text. Photos are represented by their alt text. */
export function contentText(messages: Messages, entry: FeedEntry): string {
  const { update, coverage } = entry;
  const { verification, notes, source } = entryTextOf(messages, entry);
  const photos = new Map(update.photos.map((photo) => [photo.id, photo]));
  const words = update.body.map((block) => {
    if (block.type !== 'photo') return bodyText([block]);
    const { alt, caption, credit } = photos.get(block.photo) ?? {};
    const by = credit && readerMessages(messages, coverage.language).photoBy(credit);
    return [alt && `[${alt}]`, caption, by].filter(Boolean).join(' ');
  });
  const noteLines = notes.map(({ name, time, note }) => `${name}, ${time}: ${note}`);
  return (
    [verification, ...words, ...noteLines, source].filter(Boolean).join('\n\n') || titleOf(messages, entry)
  );
}
