import type { FeedBase } from '../../domain/feed-paths.ts';
import type { ReaderCoverage } from '../../domain/reader-coverage.ts';
import type { ReaderUpdate } from '../../domain/updates.ts';

/** What a feed says of the coverage that an update stands in. */
export type FeedCoverage = Pick<
  ReaderCoverage,
  'id' | 'slug' | 'headline' | 'language' | 'time_zone' | 'topics'
>;

/** A published update and when something of it last changed. */
export type Entry = { update: ReaderUpdate; coverage: FeedCoverage; at: string };

/** What was taken back: that it was there, when it went, and why where that is told. Nothing else of it. */
export type Tombstone = {
  id: string;
  at: string;
  reason: string | null;
  /** Where it stood, unless all of its coverage was taken back. */
  place: { coverage: FeedCoverage; number: number; publishedAt: string } | null;
};

/** A document of a feed, before it is written in either format. */
export type FeedDocument = {
  /** Of the feed, for good: its documents share it, whatever they are called and wherever they are fetched. */
  id: string;
  title: string;
  subtitle: string;
  language: string;
  base: FeedBase;
  /** Path of the page that it is a feed of. */
  home: string;
  publisher: string;
  /** When it began, for a document in which nothing stands yet. */
  since: string;
  /** The last changed first. */
  entries: (Entry | Tombstone)[];
  /** Its name among the archive; the newest document has none. */
  archive?: string;
  /** Names in the archive of the documents with what was published before and after this one's. */
  older?: string;
  newer?: string;
  /** Nothing more is expected. */
  isOver: boolean;
  /** Entries are of more than one coverage, and say of which. */
  isMixed: boolean;
};

/** How a path of the site is written in a document: as an absolute address, or for a folder that holds a copy. */
export type Addressing = (path: string) => string;

/** Draws the words of an update as HTML. */
export type Draw = (entry: Entry, at: Addressing) => string;

export const isGone = (entry: Entry | Tombstone): entry is Tombstone => !('update' in entry);

/** The id that an update has in every feed and for ever. */
export const urn = (id: string): string => `urn:uuid:${id}`;

/** When the document last changed. */
export const updatedAt = ({ entries, since }: FeedDocument): string =>
  entries.map(({ at }) => at).reduce((a, b) => (Date.parse(a) < Date.parse(b) ? b : a), since);

/** There is nothing of the feed that does not stand in this document. */
export const isComplete = ({ archive, older }: FeedDocument): boolean =>
  archive === undefined && older === undefined;

/** An update as a feed has it: what it says, or that it was taken back. */
export function toEntry(update: ReaderUpdate, coverage: FeedCoverage, at: string): Entry | Tombstone {
  if (update.state === 'published') return { update, coverage, at };
  const { id, number, published_at, withdrawn_at, withdrawn_reason } = update;
  const place = { coverage, number, publishedAt: published_at };
  return { id, at: withdrawn_at ?? at, reason: withdrawn_reason, place };
}

/** The last changed first; what changed at once by its id, so that a document is always written the same. */
export const byChange = (entries: (Entry | Tombstone)[]): (Entry | Tombstone)[] =>
  entries.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at) || (idOf(a) < idOf(b) ? -1 : 1));

export const idOf = (entry: Entry | Tombstone): string => (isGone(entry) ? entry.id : entry.update.id);

/** When something changed, to the millisecond: a second change in the same second is a later one. */
export const changeTime = (at: string): string => new Date(at).toISOString();

/**
 * Where a coverage's feed is cut. Archive N holds the numbers up to N × 50: what it holds never changes but by
 * corrections and withdrawals, and there is none until it is full. What is above the last one stands in the newest
 * document.
 */
export const FEED_ENTRIES = 50;

/** The archives of a coverage with so many updates. */
export const archivesOf = (count: number): number => Math.floor(count / FEED_ENTRIES);

/** The numbers in one of them, both included. */
export function numbersIn(archive: number): { first: number; last: number } {
  return { first: (archive - 1) * FEED_ENTRIES + 1, last: archive * FEED_ENTRIES };
}

/**
 * What stands in the newest document: what changed last, so many entries, and all that no archive holds.
 * @param changed by when they changed, the last first
 */
export function cutNewest<Entry>(changed: Entry[], isArchived: (entry: Entry) => boolean): Entry[] {
  return changed.filter((entry, n) => n < FEED_ENTRIES || !isArchived(entry));
}

/** A word for what an update is: `term` for machines, `label` for people. */
type Tag = { term: string; label?: string; isTopic?: true };

/** What an update is, and what it is about. `key-event` is what an import takes one for. */
export function tagsOf({ update, coverage }: Entry): Tag[] {
  const { key_event, urgency, verification } = update;
  return [
    ...(key_event ? [{ term: 'key-event' }] : []),
    ...(urgency === 'normal' ? [] : [{ term: urgency }]),
    ...(verification === 'confirmed' ? [] : [{ term: verification }]),
    ...coverage.topics.map(({ slug, name }) => ({ term: slug, label: name, isTopic: true as const })),
  ];
}

/** What no XML 1.0 document may hold, written out or not: most control characters, halves of pairs, two that are none. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** A text without what a reader of XML would refuse the whole document for. */
export const allowed = (text: string): string => text.replace(FORBIDDEN, '');
