import { withLocalStorage } from '../shared/local-storage.ts';
import { notify } from './broadcast.ts';
import { type BaseVersion, type Draft, draftKey } from './entries.ts';
import { PERSON, readStore, writeStore } from './store.ts';

/** Fields of a draft that its form provides. Without `base`, the stored base stays. */
export type DraftInput = Pick<Draft, 'person' | 'coverage' | 'scope' | 'id' | 'form' | 'before'> &
  Partial<Pick<Draft, 'base' | 'aside'>>;

/** A change of a draft, before it is stored. */
type DraftChange = {
  input: DraftInput;
  /** Id that the draft will have. See `Draft`. */
  changeId: string;
  /** Key of the draft as this page last read it; null if it is new. */
  key: string | null;
  base: BaseVersion | null;
  /** Ids of the changes that this one replaces. */
  replaces: string[];
};

/**
 * Stores a draft on this device.
 * @param known the draft as this page last read it. If another page changed it since, this draft gets a key of its own
 * @returns the stored draft
 */
export function saveDraft(
  input: DraftInput,
  known: Draft | null,
  changeId: string = crypto.randomUUID(),
): Promise<Draft> {
  return saveChange(draftChange(input, known, changeId));
}

/** @param running id of the change that is being stored, which `known` does not have yet */
export function draftChange(
  input: DraftInput,
  known: Draft | null,
  changeId: string,
  running?: string,
): DraftChange {
  const replaces = [known?.changeId, running].filter((id) => id !== undefined);
  return { input, changeId, key: known?.key ?? null, base: known?.base ?? null, replaces };
}

async function saveChange({ input, changeId, key, base, replaces }: DraftChange): Promise<Draft> {
  const draft = await writeStore(async (transaction) => {
    const ownKey = key ?? draftKey(input);
    const stored = await transaction.get('drafts', ownKey);
    if (stored?.changeId === changeId) return stored;
    const isChangedElsewhere = stored !== undefined && !replaces.includes(stored.changeId);
    // The base of another page's text would overwrite a version that this page has not shown.
    const own = isChangedElsewhere ? undefined : stored;
    const saved: Draft = {
      ...input,
      // The draft of a command that has finished since was moved.
      scope: own?.scope ?? input.scope,
      base: input.base ?? own?.base ?? base ?? { version: versionOf(input.before), command: null },
      key: isChangedElsewhere ? `${draftKey(input)}/${changeId}` : ownKey,
      isSaved: false,
      refusal: input.base ? null : (own?.refusal ?? null),
      changeId,
      at: Date.now(),
    };
    await transaction.put('drafts', saved.key, saved);
    return saved;
  });
  notify({ type: 'drafts', person: draft.person });
  return draft;
}

/** Prefix of the keys of changes in local storage. */
const LAST_CHANGES = 'stoppress.change.';

/**
 * Writes a change to local storage at once, because a page that is being left cannot wait for IndexedDB. `readDrafts`
 * stores it as a draft.
 */
export function saveOnLeaving(change: DraftChange): void {
  withLocalStorage((storage) => storage.setItem(LAST_CHANGES + change.changeId, JSON.stringify(change)));
}

/** Deletes what `saveOnLeaving` wrote: the page was not left after all, or its draft is stored. */
export function deleteSavedOnLeaving(changeId: string): void {
  withLocalStorage((storage) => storage.removeItem(LAST_CHANGES + changeId));
}

async function storeChangesOfLeftPages(person: string): Promise<void> {
  const keys = withLocalStorage((storage) => Object.keys(storage)) ?? [];
  for (const key of keys.filter((each) => each.startsWith(LAST_CHANGES))) {
    // One that another build or a person has changed must not hide the other drafts.
    const change = withLocalStorage((storage) => JSON.parse(storage.getItem(key) ?? 'null') as DraftChange);
    if (change?.input?.person !== person) continue;
    await saveChange(change);
    deleteSavedOnLeaving(change.changeId);
  }
}

/** Version of an update that was opened again; null for a new one. */
function versionOf(before: unknown): number | null {
  const isVersioned = typeof before === 'object' && before !== null && 'version' in before;
  return isVersioned && typeof before.version === 'number' ? before.version : null;
}

/**
 * Drafts of a person on this device, newest last.
 * @param coverage id of a coverage; without it, drafts of all coverages
 */
export async function readDrafts(person: string, coverage?: string): Promise<Draft[]> {
  await storeChangesOfLeftPages(person);
  const all = await readStore((transaction) => transaction.all('drafts'));
  return all
    .filter((draft) => draft.person === person && (!coverage || draft.coverage === coverage))
    .sort((a, b) => a.at - b.at);
}

export const readDraft = (key: string): Promise<Draft | undefined> =>
  readStore((transaction) => transaction.get('drafts', key));

/** Deletes a draft, unless another page has changed it. */
export async function deleteDraft(known: Pick<Draft, 'key' | 'changeId' | 'person'>): Promise<void> {
  await writeStore(async (transaction) => {
    const stored = await transaction.get('drafts', known.key);
    if (stored?.changeId === known.changeId) await transaction.delete('drafts', known.key);
  });
  notify({ type: 'drafts', person: known.person });
}

const deskKey = (person: string, slug: string) => `desk/${person}/${slug}`;

/** Id of the person who signed in on this device last; null after signing out. */
export async function devicePerson(): Promise<string | null> {
  const value = await readStore((transaction) => transaction.get('device', PERSON));
  return typeof value === 'string' ? value : null;
}

/** @param id null after signing out */
export async function setDevicePerson(id: string | null): Promise<void> {
  if ((await devicePerson()) === id) return;
  await writeStore((transaction) =>
    id === null ? transaction.delete('device', PERSON) : transaction.put('device', PERSON, id),
  );
  notify({ type: 'device' });
}

/**
 * Stores the data that a coverage's desk needs to open offline.
 * @param context plain data
 */
export async function saveDesk(person: string, slug: string, context: unknown): Promise<void> {
  await writeStore((transaction) => transaction.put('device', deskKey(person, slug), context));
}

/** Reads the stored data of a desk; undefined when this person has not opened it on this device. */
export function readDesk(person: string, slug: string): Promise<unknown> {
  return readStore((transaction) => transaction.get('device', deskKey(person, slug)));
}

/** Reads the stored data of all desks that this person has opened on this device. */
export async function readDesks(person: string): Promise<unknown[]> {
  const all = await readStore((transaction) => transaction.all('device'));
  return all.filter((value) => (value as { person?: { id?: string } } | null)?.person?.id === person);
}

/** Deletes stored data of a person's desks. */
export async function deleteDesks(person: string, slugs: readonly string[]): Promise<void> {
  await writeStore(async (transaction) => {
    for (const slug of slugs) await transaction.delete('device', deskKey(person, slug));
  });
}
