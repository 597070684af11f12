import type { Body } from '../domain/body/blocks.ts';
import type { DeskByline, DeskUpdate, UpdateContent } from '../domain/updates.ts';
import type { Version, VersionContent } from '../domain/versions.ts';
import { type BackendClient, dataOf } from './result.ts';

/** A version of an update as the desk sees it. */
export type DeskVersion = Version & {
  /** Display name of the person who saved it; null if the server did. */
  by: string | null;
  /** Display name of the person who redacted it. */
  redactedBy: string | null;
  /** Whether readers have seen it. */
  isPublic: boolean;
  /** The saved content, for restoring it. */
  content: UpdateContent | null;
  /** People of its byline with their current names. */
  people: DeskByline[];
};

/** Number of versions read at once. */
export const UPDATE_VERSIONS_PER_PAGE = 30;

/** Returns the versions of an update before a version, newest first. */
export async function readVersions(
  backend: BackendClient,
  update: string,
  before?: number,
): Promise<DeskVersion[]> {
  return (await rowsOf(backend, update, before)).map(toVersion);
}

function rowsOf(backend: BackendClient, update: string, before = 2 ** 31 - 1) {
  return dataOf(
    backend
      .from('desk_revisions')
      .select('*')
      .eq('update_id', update)
      .lt('version', before)
      .order('version', { ascending: false })
      .limit(UPDATE_VERSIONS_PER_PAGE),
  );
}

/** The generated types do not know that the database validates the content. */
function toVersion(row: Awaited<ReturnType<typeof rowsOf>>[number]): DeskVersion {
  const { version, kind, note, created_at: at, redacted_at, redacted_reason } = row;
  const content = row.content as UpdateContent | null;
  const people = (row.people ?? []) as DeskByline[];
  return {
    ...({ version, kind, note, at } as Pick<Version, 'version' | 'kind' | 'note' | 'at'>),
    shown: content && shownContent(content, people),
    redacted: redacted_at && redacted_reason ? { at: redacted_at, reason: redacted_reason } : null,
    by: row.by_name,
    redactedBy: row.redacted_by_name,
    isPublic: row.public === true,
    content,
    people,
  };
}

function shownContent({ bylines: _, ...content }: UpdateContent, people: DeskByline[]): VersionContent {
  return { ...content, bylines: people.map(({ display_name }) => display_name) };
}

/** Empty content that the first version is compared with. */
export const EMPTY_CONTENT: VersionContent = {
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

/** Returns the update with the content of a version, for editing. */
export function withContentOf(update: DeskUpdate, { content, people }: DeskVersion): DeskUpdate {
  return content ? { ...update, ...content, bylines: people } : update;
}
