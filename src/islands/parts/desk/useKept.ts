import { useEffect, useState } from 'react';
import { deleteDraft, readDrafts } from '../../../lib/outbox/drafts.ts';
import { type DraftStore, openDraftStore } from '../../browser/kept-work.ts';
import type { Desk } from '../../stores/desk.ts';

/** Input of a small panel, stored on this device until it is sent or emptied. */
export type DraftForm<Form> = { form: Form; change(form: Form): void };

/** @param scope names the panel and its update */
export function useDraft<Form extends object>(
  desk: Desk,
  id: string,
  scope: string,
  empty: Form,
): DraftForm<Form> {
  const [draftStore] = useState(() => openDraftStore(desk.person.id, desk.$coverage.get().id, scope));
  return useDraftIn(draftStore, id, empty);
}

/** @param id id of the subject */
export function useDraftIn<Form extends object>(
  draftStore: DraftStore,
  id: string,
  empty: Form,
): DraftForm<Form> {
  const [typed, setTyped] = useState<Form>();
  const [savedForm, setSavedForm] = useState<Form>();
  useEffect(() => {
    void draftStore.read().then((draft) => setSavedForm(draft ? (draft.form as Form) : undefined));
  }, [draftStore]);
  return {
    // Input that was typed before the draft was read is newer.
    form: typed ?? savedForm ?? empty,
    change(form) {
      setTyped(form);
      if (JSON.stringify(form) === JSON.stringify(empty)) void draftStore.delete();
      else draftStore.save({ id, form, before: null }, () => undefined);
    },
  };
}

/** Deletes the drafts of a panel after they were sent. */
export async function clearDraft({ person, $coverage }: Desk, scope: string): Promise<void> {
  await clearDraftAt(person.id, $coverage.get().id, scope);
}

export async function clearDraftAt(person: string, coverage: string, scope: string): Promise<void> {
  const drafts = await readDrafts(person, coverage);
  await Promise.all(drafts.filter((draft) => draft.scope === scope).map(deleteDraft));
}

export const changeScope = (id: string) => `change/${id}`;
export const withdrawScope = (id: string) => `withdraw/${id}`;
