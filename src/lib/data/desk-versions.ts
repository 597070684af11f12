import type { Body } from '../domain/body/blocks.ts';
import type { DeskByline, DeskUpdate, UpdateContent } from '../domain/updates.ts';
import type { Version, VersionContent } from '../domain/versions.ts';
import type { Backend } from './desk.ts';
import { dataOf } from './result.ts';

/** A version as the desk sees it. */
export type DeskVersion = Version & {
  /** Who saved it; null of what the server itself did. */
  by: string | null;
  /** Who took its words away. */
  redactedBy: string | null;
  /** Readers have seen it. */
  isPublic: boolean;
  /** The whole of what was saved, to be saved again. */
  content: UpdateContent | null;
  /** Those under it, as they are called now. */
  people: DeskByline[];
};

/** Versions read at once. */
export const VERSIONS = 30;

/** The versions of an update before one of them, the newest first. */
export async function readVersions(
  backend: Backend,
  update: string,
  before?: number,
): Promise<DeskVersion[]> {
  return (await rowsOf(backend, update, before)).map(toVersion);
}

function rowsOf(backend: Backend, update: string, before = 2 ** 31 - 1) {
  return dataOf(
    backend
      .from('desk_revisions')
      .select('*')
      .eq('update_id', update)
      .lt('version', before)
      .order('version', { ascending: false })
      .limit(VERSIONS),
  );
}

/** The database has checked what was saved, and makes the names: a view's types cannot say so. */
function toVersion(row: Awaited<ReturnType<typeof rowsOf>>[number]): DeskVersion {
  const { version, kind, note, at, redacted_at, redacted_reason } = row;
  const content = row.content as UpdateContent | null;
  const people = (row.people ?? []) as DeskByline[];
  return {
    ...({ version, kind, note, at } as Pick<Version, 'version' | 'kind' | 'note' | 'at'>),
    shown: content && wordsOf(content, people),
    redacted: redacted_at && redacted_reason ? { at: redacted_at, reason: redacted_reason } : null,
    by: row.by_name,
    redactedBy: row.redacted_by_name,
    isPublic: row.public === true,
    content,
    people,
  };
}

function wordsOf({ bylines: _, ...content }: UpdateContent, people: DeskByline[]): VersionContent {
  return { ...content, bylines: people.map(({ display_name }) => display_name) };
}

/** Nothing was said yet: what the first version is compared with. */
export const NO_WORDS: VersionContent = {
  headline: null,
  body: [] as Body,
  key_event: false,
  urgency: 'normal',
  verification: 'confirmed',
  attribution: null,
  dateline: null,
  occurred_at: null,
  bylines: [],
  desk_note: null,
};

/** The update as it would be with the words of a version, to be written on from there. */
export function withWordsOf(update: DeskUpdate, { content, people }: DeskVersion): DeskUpdate {
  return content ? { ...update, ...content, bylines: people } : update;
}
