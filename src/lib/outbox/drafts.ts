import { type Draft, draftKey } from './kept.ts';
import { notify } from './news.ts';
import { readStore, writeStore } from './shelf-here.ts';

/** Fields of a draft that its form provides. Without `base`, the stored base stays. */
export type DraftInput = Pick<Draft, 'person' | 'coverage' | 'scope' | 'id' | 'form' | 'before'> &
  Partial<Pick<Draft, 'base' | 'aside'>>;

/**
 * Stores a draft on this device.
 * @param known the draft as this page last read it. If another page changed it since, this draft gets a key of its own
 * @returns the stored draft
 */
export async function saveDraft(input: DraftInput, known: Draft | null): Promise<Draft> {
  const draft = await writeStore(async (transaction) => {
    const ownKey = known?.key ?? draftKey(input);
    const stored = await transaction.get('drafts', ownKey);
    const isChangedElsewhere = stored !== undefined && stored.changeId !== known?.changeId;
    const changeId = crypto.randomUUID();
    const saved: Draft = {
      ...input,
      base: input.base ?? stored?.base ?? known?.base ?? { version: versionOf(input.before), command: null },
      key: isChangedElsewhere ? `${draftKey(input)}/${changeId}` : ownKey,
      isSaved: false,
      refusal: input.base ? null : (stored?.refusal ?? null),
      changeId,
      at: Date.now(),
    };
    await transaction.put('drafts', saved.key, saved);
    return saved;
  });
  notify({ type: 'drafts', person: draft.person });
  return draft;
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
