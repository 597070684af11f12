import type { Enums } from '../domain/database.types.ts';
import { LIMITS } from '../domain/limits.ts';
import type { ReaderUpdate } from '../domain/updates.ts';
import { readerClient } from './reader-client.server.ts';
import { dataOf } from './result.ts';
import { readUpdatesById } from './updates.ts';

/**
 * Part of a live page outside the list of updates. `top` is the urgent and the newest update above the list, `settings`
 * stands for the page as a whole.
 */
type PagePart = 'top' | 'summary' | 'pinned' | 'key-events' | 'settings';

/** Consecutive changes of a coverage, with the current state of what they changed. */
export type Changes = {
  /** Seq of the last change included. */
  through: number;
  /** Whether there are more changes after `through`. */
  more: boolean;
  /** Updates that changed, each once, newest first. */
  updates: ReaderUpdate[];
  parts: PagePart[];
};

/** The coverage as read before its changes. `seq` is the upper limit of the changes that are read. */
type KnownCoverage = { id: string; seq: number; pinned_update: string | null };
type Change = { seq: number; update_id: string | null; kind: Enums<'change_kind'> };

/**
 * Whether a reader's page must reload because too many changes are missing, or because its seq is higher than the
 * database's (after a restore of a backup).
 */
export function isTooFarBehind(seq: number, after: number): boolean {
  return after > seq || seq - after > LIMITS.changes_behind;
}

/**
 * Reads the changes after a seq, at most 50. The updates are read after the coverage's seq, so they may be newer than
 * it but not older. Newer ones do no harm: the page compares the seq of each update.
 */
export async function readChanges(coverage: KnownCoverage, after: number): Promise<Changes> {
  if (coverage.seq === after) return { through: after, more: false, updates: [], parts: [] };
  const changes = await dataOf(
    readerClient()
      .from('coverage_changes')
      .select('seq, update_id, kind')
      .eq('coverage_id', coverage.id)
      .gt('seq', after)
      .lte('seq', coverage.seq)
      .order('seq')
      .limit(LIMITS.changes_per_answer),
  );
  const changedIds = changes.filter(({ kind }) => kind !== 'pin').flatMap(({ update_id }) => update_id ?? []);
  const updates = await readUpdatesById([...new Set(changedIds)]);
  const through = changes.at(-1)?.seq ?? after;
  return { through, more: through < coverage.seq, updates, parts: changedParts(coverage, changes, updates) };
}

/**
 * Returns the parts of the page to send again. Earlier contents are not read, so any edit may have ended a key event.
 */
export function changedParts(
  coverage: KnownCoverage,
  changes: Change[],
  updates: ReaderUpdate[],
): PagePart[] {
  const has = (...kinds: Change['kind'][]) => changes.some(({ kind }) => kinds.includes(kind));
  const edited = has('revision', 'clarification', 'correction', 'withdrawal');
  const parts: PagePart[] = [];
  // An older update counts too, because any edit may have marked or unmarked it as urgent.
  if (updates.length > 0 || has('state')) parts.push('top');
  if (has('settings')) parts.push('settings');
  if (has('summary')) parts.push('summary');
  if (has('pin') || updates.some(({ id }) => id === coverage.pinned_update)) parts.push('pinned');
  if (edited || updates.some(({ key_event }) => key_event)) parts.push('key-events');
  return parts;
}
