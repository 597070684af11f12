import type { VersionWords } from './version.ts';

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
