import type { Body } from '../body/blocks.ts';
import type { ReaderPhoto } from '../photos/photo.ts';

/*
 * What the files of a coverage hold. Times are in UTC with their microseconds; the names are those of the database. A
 * reader that meets a version it does not know refuses the whole.
 */

export const FORMAT = 'stoppress-coverage';
export const FORMAT_VERSION = 1;

/** Where the files are in the folder of a coverage. */
export const COVERAGE_FILE = 'data/coverage.json';
export const UPDATES_FILE = 'data/updates.jsonl';
export const CHANGES_FILE = 'data/changes.jsonl';
export const printFile = (id: string, width: number) => `photos/${id}-${width}.webp`;

/* The fields of each thing, in the order in which they are written. */

export const HEAD = ['format', 'version', 'coverage', 'slugs', 'topics', 'people', 'photos'] as const;

export const COVERAGE = [
  'id',
  'slug',
  'kicker',
  'headline',
  'standfirst',
  'summary',
  'summary_at',
  'state',
  'time_zone',
  'language',
  'starts_at',
  'published_at',
  'revised_at',
  'newest_at',
  'ended_at',
  'pinned_update',
  'reader_follow',
  'reader_interval',
  'update_count',
  'seq',
  'version',
] as const;

export const SLUG = ['slug', 'since'] as const;
export const TOPIC = ['id', 'slug', 'name', 'description'] as const;
export const PERSON = ['id', 'handle', 'display_name', 'bio'] as const;
export const PHOTO = [
  'id',
  'width',
  'height',
  'prints',
  'colour',
  'alt',
  'caption',
  'credit',
  'ready_at',
] as const;
export const PRINT = ['width', 'height', 'bytes'] as const;

export const CONTENT = [
  'headline',
  'body',
  'key_event',
  'urgency',
  'verification',
  'attribution',
  'dateline',
  'occurred_at',
  'bylines',
] as const;

export const UPDATE = [
  'number',
  'id',
  'state',
  'published_at',
  'revised_at',
  'corrected_at',
  'withdrawn_at',
  'withdrawn_reason',
  ...CONTENT,
  'photos',
  'seq',
  'version',
  'versions',
] as const;

export const VERSION = [
  'version',
  'kind',
  'at',
  'note',
  'redacted_at',
  'redacted_reason',
  'content',
] as const;

export const CHANGE = ['seq', 'kind', 'at', 'number'] as const;

export type ArchivedPhoto = ReaderPhoto & { ready_at: string };

export type ArchivedHead = {
  format: typeof FORMAT;
  version: typeof FORMAT_VERSION;
  coverage: {
    id: string;
    slug: string;
    headline: string;
    language: string;
    time_zone: string;
    state: string;
    seq: number;
    update_count: number;
  } & Record<(typeof COVERAGE)[number], unknown>;
  slugs: { slug: string; since: string }[];
  topics: { id: string; slug: string; name: string; description: string }[];
  people: { id: string; handle: string; display_name: string; bio: string }[];
  photos: ArchivedPhoto[];
};

export type ArchivedUpdate = {
  number: number;
  id: string;
  state: 'published' | 'withdrawn';
  published_at: string;
  headline: string | null;
  body: Body;
  versions: Record<(typeof VERSION)[number], unknown>[];
} & Record<(typeof UPDATE)[number], unknown>;

export type ArchivedChange = { seq: number; kind: string; at: string; number: number | null };

/** These fields of a thing, in this order, and no other. */
export function pick<Key extends string>(
  thing: { readonly [Field in Key]?: unknown },
  keys: readonly Key[],
): Record<Key, unknown> {
  return Object.fromEntries(keys.map((key) => [key, thing[key]])) as Record<Key, unknown>;
}
