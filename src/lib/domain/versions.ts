import type { Enums } from './database.types.ts';
import type { ReaderUpdate } from './updates.ts';

/** What a version of an update says. Those under it by their names. */
export type VersionWords = Pick<
  ReaderUpdate,
  'headline' | 'body' | 'key_event' | 'urgency' | 'verification' | 'attribution' | 'dateline' | 'occurred_at'
> & {
  bylines: string[];
  /** The desk's alone. */
  desk_note?: string | null;
};

/** A version of an update: when it was saved, as what, and its words, unless they were taken away. */
export type Version = {
  version: number;
  kind: Enums<'revision_kind'>;
  note: string | null;
  at: string;
  words: VersionWords | null;
  redacted: { at: string; reason: string } | null;
};

/** What an update says beside headline and body. */
export const FIELDS = [
  'attribution',
  'dateline',
  'bylines',
  'occurred_at',
  'key_event',
  'urgency',
  'verification',
  'desk_note',
] as const satisfies (keyof VersionWords)[];

export type Field = (typeof FIELDS)[number];

/** The fields in which two versions differ. */
export function changedFields(before: VersionWords, after: VersionWords): Field[] {
  return FIELDS.filter((field) => told(before, field) !== told(after, field));
}

/** A moment is the same however it is written. */
function told(words: VersionWords, field: Field): string {
  if (field === 'occurred_at') return words.occurred_at ? `${Date.parse(words.occurred_at)}` : '';
  return JSON.stringify(words[field] ?? null);
}

/** A step from one public version to the next, or over several typing errors to the last of them. */
export type Step = {
  /** The version that it led to. */
  version: number;
  kind: 'publication' | Version['kind'];
  /** Revisions that it stands for. */
  count: number;
  at: string;
  /** When the last of several was made. */
  until: string | null;
  note: string | null;
  redacted: Version['redacted'];
  /** What it led from and to; null where the words were taken away, and before the publication. */
  before: VersionWords | null;
  after: VersionWords | null;
};

/**
 * What became of an update in the open, the newest step first. Revisions in a row are one step, told by what they came to.
 * @param versions those that readers may see, in their order
 * @param publishedAt when the first of them was published; null where older ones were left out
 */
export function stepsOf(versions: Version[], publishedAt: string | null): Step[] {
  const [first, ...rest] = versions;
  if (!first) return [];
  const steps: Step[] = [];
  if (publishedAt) steps.push({ ...stepTo(first, null), kind: 'publication', at: publishedAt });
  let before = first.words;
  for (const version of rest) {
    const last = steps.at(-1);
    if (last?.kind === 'revision' && last.after && version.kind === 'revision' && version.words) {
      last.version = version.version;
      last.count += 1;
      last.until = version.at;
      last.after = version.words;
    } else steps.push(stepTo(version, before));
    before = version.words;
  }
  return steps.toReversed();
}

function stepTo({ version, kind, at, note, redacted, words }: Version, before: VersionWords | null): Step {
  return { version, kind, count: 1, at, until: null, note, redacted, before, after: words };
}
