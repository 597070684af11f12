import type { Body } from '../body/blocks.ts';
import type { Version, VersionWords } from '../corrections/version.ts';
import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';

/** The newest versions that a page tells of. */
export const TOLD = 50;

const COLUMNS = `version, kind, note, at, redacted_at, redacted_reason,
  headline, body, key_event, urgency, verification, attribution, dateline, occurred_at, bylines` as const;

/** What readers may see of how an update came to say what it says: its newest versions in their order, and whether that is all. */
export type UpdateHistory = { versions: Version[]; isWhole: boolean };

/** @param id of a published update: of any other there is nothing to be had */
export async function readHistory(id: string): Promise<UpdateHistory> {
  const rows = await history(id);
  return { versions: rows.slice(0, TOLD).map(toVersion).toReversed(), isWhole: rows.length <= TOLD };
}

const history = (id: string) =>
  dataOf(
    reader()
      .from('update_history')
      .select(COLUMNS)
      .eq('update_id', id)
      .order('version', { ascending: false })
      .limit(TOLD + 1),
  );

/** A view's columns have no types of their own: the database has checked what was saved. */
function toVersion(row: Awaited<ReturnType<typeof history>>[number]): Version {
  const { version, kind, note, at, redacted_at, redacted_reason, ...words } = row;
  return {
    ...({ version, kind, note, at } as Pick<Version, 'version' | 'kind' | 'note' | 'at'>),
    words: row.body ? { ...(words as unknown as VersionWords), body: row.body as Body } : null,
    redacted: redacted_at && redacted_reason ? { at: redacted_at, reason: redacted_reason } : null,
  };
}
