import { type Block, bodyText, excerpt, photoIds } from '../../domain/body/blocks.ts';
import type { FeedBase } from '../../domain/list-paths.ts';
import { type MediaFile, mediaFileOf } from '../../domain/media-files.ts';
import type { ReaderPhoto } from '../../domain/photos.ts';
import { clockOf, type ReaderCoverage } from '../../domain/reader-coverage.ts';
import { fullTime, timeRelativeTo } from '../../domain/time.ts';
import type { ReaderUpdate } from '../../domain/updates.ts';
import { messagesFor } from '../../i18n/messages.server.ts';
import type { Messages } from '../../i18n/messages.ts';

/** Fields of a coverage that feeds need. */
export type FeedCoverage = Pick<
  ReaderCoverage,
  'id' | 'slug' | 'headline' | 'language' | 'time_zone' | 'topics'
>;

/** A published update and the time of its last change. */
export type FeedEntry = { update: ReaderUpdate; coverage: FeedCoverage; at: string };

/** A withdrawn update: when it was withdrawn and why, if that is public. */
export type FeedTombstone = {
  id: string;
  at: string;
  reason: string | null;
  /** Its position, unless the whole coverage was withdrawn. */
  position: { coverage: FeedCoverage; number: number; publishedAt: string } | null;
};

/** A feed document, independent of the format. */
export type FeedDocument = {
  /** Permanent id of the feed, shared by all its documents. */
  id: string;
  title: string;
  subtitle: string;
  language: string;
  base: FeedBase;
  /** Path of the page that the feed belongs to. */
  home: string;
  publisher: string;
  /** The photo that stands for the coverage. */
  photo?: ReaderPhoto;
  /** Time of a document without entries. */
  since: string;
  /** Last changed first. */
  entries: (FeedEntry | FeedTombstone)[];
  /** Name of an archived document; undefined for the newest. */
  archive?: string;
  /** Names of the archived documents with earlier and later publications. */
  older?: string;
  newer?: string;
  /** No more updates are expected. */
  hasEnded: boolean;
  /** Entries belong to several coverages and name theirs. */
  isMixed: boolean;
};

/** Writes a path of the site in a document: as an absolute URL, or relative in a coverage folder. */
export type MakeUrl = (path: string) => string;

/** Renders the body of an update as HTML. */
export type RenderBody = (messages: Messages, entry: FeedEntry, at: MakeUrl) => string;

export const isTombstone = (entry: FeedEntry | FeedTombstone): entry is FeedTombstone => !('update' in entry);

/** Permanent id of an update in all feeds. */
export const urn = (id: string): string => `urn:uuid:${id}`;

/** Returns the time of the document's last change. */
export const updatedAt = ({ entries, since }: FeedDocument): string =>
  entries.map(({ at }) => at).reduce((a, b) => (Date.parse(a) < Date.parse(b) ? b : a), since);

/** Whether the feed has no other documents. */
export const isComplete = ({ archive, older }: FeedDocument): boolean =>
  archive === undefined && older === undefined;

/** Converts an update to an entry, or to a tombstone if it was withdrawn. */
export function toEntry(update: ReaderUpdate, coverage: FeedCoverage, at: string): FeedEntry | FeedTombstone {
  if (update.state === 'published') return { update, coverage, at };
  const { id, number, published_at, withdrawn_at, withdrawn_reason } = update;
  const position = { coverage, number, publishedAt: published_at };
  return { id, at: withdrawn_at ?? at, reason: withdrawn_reason, position };
}

/** Sorts by time of change, latest first, then by id, so that a document is always written the same. */
export const byChange = (entries: (FeedEntry | FeedTombstone)[]): (FeedEntry | FeedTombstone)[] =>
  entries.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at) || (entryId(a) < entryId(b) ? -1 : 1));

export const entryId = (entry: FeedEntry | FeedTombstone): string =>
  isTombstone(entry) ? entry.id : entry.update.id;

/** Times of changes have milliseconds, to order two changes in the same second. */
export const changeTime = (at: string): string => new Date(at).toISOString();

/**
 * Number of entries of a document. Archived document N of a coverage holds the numbers up to N × 50. It exists once
 * it is full and changes only by corrections and withdrawals. The newest document holds all numbers above.
 */
export const FEED_ENTRIES = 50;

/** Returns the number of archived documents of a coverage with `count` updates. */
export const archiveCount = (count: number): number => Math.floor(count / FEED_ENTRIES);

/** Returns the first and last number in an archived document. */
export function archivedNumbers(archive: number): { first: number; last: number } {
  return { first: (archive - 1) * FEED_ENTRIES + 1, last: archive * FEED_ENTRIES };
}

/**
 * Returns the entries of the newest document: the last changed ones, and all that are in no archived document.
 * @param changed entries, last changed first
 */
export function newestEntries<FeedEntry>(
  changed: FeedEntry[],
  isArchived: (entry: FeedEntry) => boolean,
): FeedEntry[] {
  return changed.filter((entry, n) => n < FEED_ENTRIES || !isArchived(entry));
}

/** A property of an update: `term` for programs, `label` for people. */
type Tag = { term: string; label?: string; isTopic?: true };

/** Returns the tags of an update. An import recognises `key-event`. */
export function tagsOf({ update, coverage }: FeedEntry): Tag[] {
  const { key_event, urgency, verification } = update;
  return [
    ...(key_event ? [{ term: 'key-event' }] : []),
    ...(urgency === 'normal' ? [] : [{ term: urgency }]),
    ...(verification === 'confirmed' ? [] : [{ term: verification }]),
    ...coverage.topics.map(({ slug, name }) => ({ term: slug, label: name, isTopic: true as const })),
  ];
}

/** Returns the photos of an update in the order of its body. */
export const photosOfEntry = ({ update }: FeedEntry): ReaderPhoto[] =>
  photoIds(update.body).flatMap((id) => update.photos.find((photo) => photo.id === id) ?? []);

/** Returns the video and audio files of an update with their paths and titles, in the order of its body. */
export const filesOf = ({ update }: FeedEntry): (MediaFile & { path: string; title: string })[] =>
  update.body.flatMap((block) => {
    const file = block.type === 'media' ? mediaFileOf(block.url) : undefined;
    return block.type === 'media' && file ? [{ ...file, path: block.url, title: block.title }] : [];
  });

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

/** Returns the time of a table's data, or the times of a quoted post, as a line; undefined for other blocks. */
function timesLine(messages: Messages, block: Block, { update, coverage }: FeedEntry): string | undefined {
  const { asOf, stale, post } = readerMessages(messages, coverage.language);
  const timeOf = (at: string) => timeRelativeTo(at, update.published_at, clockOf(coverage));
  if (block.type === 'table') {
    const time = block.as_of && timeOf(block.as_of);
    return time && (block.stale ? `${stale.before} ${time}${stale.after}` : `${asOf} ${time}`);
  }
  if (block.type !== 'post') return undefined;
  const gone = block.gone_at && `${post.gone} ${timeOf(block.gone_at)}`;
  return [`${post.quoted} ${timeOf(block.quoted_at)}`, gone].filter(Boolean).join('. ');
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
    if (block.type === 'map') {
      const { coordinates } = readerMessages(messages, coverage.language);
      return `${block.name}\n${coordinates(block.latitude, block.longitude)}`;
    }
    if (block.type !== 'photo')
      return [bodyText([block]), timesLine(messages, block, entry)].filter(Boolean).join('\n');
    const { alt, caption, credit } = photos.get(block.photo) ?? {};
    const by = credit && readerMessages(messages, coverage.language).photoBy(credit);
    return [alt && `[${alt}]`, caption, by].filter(Boolean).join(' ');
  });
  const noteLines = notes.map(({ name, time, note }) => `${name}, ${time}: ${note}`);
  return (
    [verification, ...words, ...noteLines, source].filter(Boolean).join('\n\n') || titleOf(messages, entry)
  );
}
