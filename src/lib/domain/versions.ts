import type { Enums } from './database.types.ts';
import type { ReaderUpdate } from './updates.ts';

/** Content of a version of an update. Bylines are display names. */
export type VersionContent = Pick<
  ReaderUpdate,
  'headline' | 'body' | 'key_event' | 'urgency' | 'verification' | 'attribution' | 'dateline' | 'occurred_at'
> & {
  bylines: string[];
  /** Only visible at the desk. */
  desk_note?: string | null;
};

/** A version of an update: when and how it was saved, and its content unless it was redacted. */
export type Version = {
  version: number;
  kind: Enums<'revision_kind'>;
  note: string | null;
  at: string;
  shown: VersionContent | null;
  redacted: { at: string; reason: string } | null;
};

/** Fields of an update other than headline and body. */
const COMPARED_FIELDS = [
  'attribution',
  'dateline',
  'bylines',
  'occurred_at',
  'key_event',
  'urgency',
  'verification',
  'desk_note',
] as const satisfies (keyof VersionContent)[];

export type ComparedField = (typeof COMPARED_FIELDS)[number];

/** Returns the fields in which two versions differ. */
export function changedFields(before: VersionContent, after: VersionContent): ComparedField[] {
  return COMPARED_FIELDS.filter((field) => comparableValue(before, field) !== comparableValue(after, field));
}

/** The same moment may be written in several ways. */
function comparableValue(shown: VersionContent, field: ComparedField): string {
  if (field === 'occurred_at') return shown.occurred_at ? `${Date.parse(shown.occurred_at)}` : '';
  return JSON.stringify(shown[field] ?? null);
}

/** A change from one public version to the next, or several consecutive revisions combined. */
export type HistoryStep = {
  /** Version after the step. */
  version: number;
  kind: 'publication' | Version['kind'];
  /** Number of revisions that the step combines. */
  count: number;
  at: string;
  /** Time of the last of several combined revisions. */
  until: string | null;
  note: string | null;
  redacted: Version['redacted'];
  /** Content before and after the step; null if it was redacted, and `before` of the first publication. */
  before: VersionContent | null;
  after: VersionContent | null;
};

/**
 * Returns the public history of an update, newest first. Consecutive revisions are combined into one step.
 * @param versions public versions, in order
 * @param publishedAt time of the first publication; null if older versions were left out
 */
export function historyOf(versions: Version[], publishedAt: string | null): HistoryStep[] {
  const [first, ...rest] = versions;
  if (!first) return [];
  const steps: HistoryStep[] = [];
  if (publishedAt) steps.push({ ...stepTo(first, null), kind: 'publication', at: publishedAt });
  let before = first.shown;
  for (const version of rest) {
    const last = steps.at(-1);
    if (last?.kind === 'revision' && last.after && version.kind === 'revision' && version.shown) {
      last.version = version.version;
      last.count += 1;
      last.until = version.at;
      last.after = version.shown;
    } else steps.push(stepTo(version, before));
    before = version.shown;
  }
  return steps.toReversed();
}

function stepTo(
  { version, kind, at, note, redacted, shown }: Version,
  before: VersionContent | null,
): HistoryStep {
  return { version, kind, count: 1, at, until: null, note, redacted, before, after: shown };
}
