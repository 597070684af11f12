import { readSummaryVersions } from '../../lib/data/desk.ts';
import type { Saver } from '../../lib/data/desk-updates.ts';
import type { UpdateForm } from '../../lib/data/update-form.ts';
import type { Merged } from '../../lib/domain/body/merge-tables.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { type Refusal, refusal } from '../../lib/i18n/refusals.ts';
import type { Desk } from '../desk/desk.ts';
import type { DeskMessages } from '../desk/messages.tsx';
import type { EditedUpdate } from '../outbox/entries.ts';
import type { QueuedCommandView } from '../outbox/outbox.ts';

/** A refused save, and the stored version when it differs from the base. */
export type RefusedSave = { refusal: Refusal; theirs?: DeskUpdate | undefined };

/** Returns the person who saved a version; null if that is not known. */
export const readSaver = (
  { updates }: Pick<Desk, 'updates'>,
  { id, version }: Pick<DeskUpdate, 'id' | 'version'>,
): Promise<Saver | null> => updates.readSaver(id, version).catch(() => null);

/** Loads the stored version after a conflict, and the name of the person who saved it. */
export async function readConflict(
  desk: Pick<Desk, 'person' | 'updates'>,
  edited: EditedUpdate,
  refused: Refusal,
): Promise<RefusedSave> {
  if (refused.code !== 'conflict' && refused.code !== 'bad_state') return { refusal: refused };
  const row = await desk.updates.read(edited.id).catch(() => undefined);
  if (!row || (row.version === edited.version && edited.before)) return { refusal: refused };
  if (refused.code !== 'conflict') return { refusal: refused, theirs: row };
  return conflictWith(desk, row, await readSaver(desk, row), refused);
}

/** The conflict with a newer version, in words that name the person who saved it. */
export function conflictWith(
  desk: Pick<Desk, 'person'>,
  theirs: DeskUpdate,
  saver: Saver | null,
  refused = refusal('conflict', { version: theirs.version }),
): RefusedSave {
  return { refusal: saver ? withSaver(desk, refused, saver) : refused, theirs };
}

function withSaver({ person }: Pick<Desk, 'person'>, refused: Refusal, saver: Saver): Refusal {
  const message: Refusal['message'] = ({ desk: { conflict } }) =>
    saver.id === person.id ? conflict.savedByYou : conflict.savedBy(saver.name);
  return { ...refused, message };
}

/**
 * Names the person who saved first in the refusal of a queued command. Returns the refusal as it is if that is not
 * known: then it says that another person did.
 */
export async function nameSaver(
  desk: Pick<Desk, 'person' | 'updates' | 'backend'>,
  { subject, summary }: Pick<QueuedCommandView, 'subject' | 'summary'>,
  refused: Refusal,
): Promise<Refusal> {
  const { code, version } = refused;
  if (code !== 'conflict' || version === undefined) return refused;
  const saver =
    summary === undefined
      ? await readSaver(desk, { id: subject, version })
      : await readSummarySaver(desk, subject, version);
  return saver ? withSaver(desk, refused, saver) : refused;
}

/** Null too when the version changed something else of the coverage. */
async function readSummarySaver(
  { person, backend }: Pick<Desk, 'person' | 'backend'>,
  coverage: string,
  version: number,
): Promise<Saver | null> {
  const [newest] = await backend.read((client) => readSummaryVersions(client, coverage)).catch(() => []);
  if (!newest?.by || newest.version < version) return null;
  return { id: newest.by === person.display_name ? person.id : '', name: newest.by };
}

/**
 * Merges an edited form with a newer version, if one of the two changed only tables. Returns null if they cannot be
 * merged, or the version that both began with is not known.
 */
export async function mergeNewer(
  messages: DeskMessages,
  { updates, $coverage }: Pick<Desk, 'updates' | '$coverage'>,
  { id, version, before, form }: EditedUpdate,
  theirs: DeskUpdate,
): Promise<Merged<UpdateForm> | null> {
  if (version === null || theirs.version <= version || theirs.state === 'withdrawn') return null;
  const known = before?.version === version ? before : undefined;
  const base = known ?? (await updates.readVersion(theirs, version).catch(() => undefined));
  if (base?.id !== id) return null;
  // Loaded on demand. If it cannot be loaded, the versions are compared.
  const merging = await import('../../lib/data/merge-forms.ts').catch(() => undefined);
  return merging?.mergeWithNewer(messages, { base, mine: form, theirs }, $coverage.get().time_zone) ?? null;
}

/** Whether the stored version is our own attempt whose answer was lost: no other version lies between. */
export function isEarlierTry(theirs: DeskUpdate, { version, before }: EditedUpdate): boolean {
  return !before && theirs.version === (version ?? 1);
}
