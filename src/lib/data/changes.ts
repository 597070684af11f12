import type { Enums } from '../domain/database.types.ts';
import { LIMITS } from '../domain/limits.ts';
import type { ReaderUpdate } from '../domain/updates.ts';
import { reader } from './reader-client.server.ts';
import { dataOf } from './result.ts';
import { readUpdatesById } from './updates.ts';

/** What stands outside the list of updates and may have changed with them; settings are what the page as a whole is made by. */
export type Part = 'summary' | 'pinned' | 'key-events' | 'settings';

/** Some changes of a coverage, oldest first, told by what they touched as it is now. */
export type Changes = {
  /** The last change told of. */
  through: number;
  /** Are there more after it? */
  more: boolean;
  /** Each update touched, once, newest first. */
  updates: ReaderUpdate[];
  parts: Part[];
};

/** The coverage as it was read before its changes: its seq is what they are told up to. */
type Known = { id: string; seq: number; pinned_update: string | null };
type Change = { seq: number; update_id: string | null; kind: Enums<'change_kind'> };

/**
 * Is this reader too far behind to be told the changes? So is one who claims to know more than has happened:
 * their page is of another database, before a backup was put back.
 */
export function isFarBehind(seq: number, after: number): boolean {
  return after > seq || seq - after > LIMITS.changes_behind;
}

/**
 * Reads the next changes after one, at most 50. The rows are read after the seq, so they are never older than it
 * says; newer ones do no harm, because the reader's page goes by each update's seq.
 */
export async function readChanges(coverage: Known, after: number): Promise<Changes> {
  if (coverage.seq === after) return { through: after, more: false, updates: [], parts: [] };
  const changes = await dataOf(
    reader()
      .from('coverage_changes')
      .select('seq, update_id, kind')
      .eq('coverage_id', coverage.id)
      .gt('seq', after)
      .lte('seq', coverage.seq)
      .order('seq')
      .limit(LIMITS.changes_per_answer),
  );
  const touched = changes.filter(({ kind }) => kind !== 'pin').flatMap(({ update_id }) => update_id ?? []);
  const updates = await readUpdatesById([...new Set(touched)]);
  const through = changes.at(-1)?.seq ?? after;
  return { through, more: through < coverage.seq, updates, parts: changedParts(coverage, changes, updates) };
}

/** Which parts to send again. What an update was before is not read, so any change to one may have ended a key event. */
export function changedParts(coverage: Known, changes: Change[], updates: ReaderUpdate[]): Part[] {
  const has = (...kinds: Change['kind'][]) => changes.some(({ kind }) => kinds.includes(kind));
  const edited = has('revision', 'clarification', 'correction', 'withdrawal');
  const parts: Part[] = [];
  if (has('settings')) parts.push('settings');
  if (has('summary')) parts.push('summary');
  if (has('pin') || updates.some(({ id }) => id === coverage.pinned_update)) parts.push('pinned');
  if (edited || updates.some(({ key_event }) => key_event)) parts.push('key-events');
  return parts;
}
