import { useEffect, useState } from 'react';
import { dropDraft, readDrafts } from '../../../lib/outbox/drafts.ts';
import { type Keeper, keeper } from '../../browser/kept-work.ts';
import type { Desk } from '../../stores/desk.ts';

/** What is typed in a small panel, kept on this device until it is sent or emptied. */
export type Kept<Form> = { form: Form; change(form: Form): void };

/** @param place which panel of which update */
export function useKept<Form extends object>(desk: Desk, id: string, place: string, empty: Form): Kept<Form> {
  const [kept] = useState(() => keeper(desk.person.id, desk.$coverage.get().id, place));
  return useKeptBy(kept, id, empty);
}

/** @param id of what the words are about */
export function useKeptBy<Form extends object>(kept: Keeper, id: string, empty: Form): Kept<Form> {
  const [typed, setTyped] = useState<Form>();
  const [found, setFound] = useState<Form>();
  useEffect(() => {
    void kept.read().then((draft) => setFound(draft ? (draft.form as Form) : undefined));
  }, [kept]);
  return {
    // What is typed before the device has answered is the newer.
    form: typed ?? found ?? empty,
    change(form) {
      setTyped(form);
      if (JSON.stringify(form) === JSON.stringify(empty)) void kept.drop();
      else kept.keep({ id, form, before: null }, () => undefined);
    },
  };
}

/** Forgets what was typed there: it was sent. */
export async function forgetKept({ person, $coverage }: Desk, place: string): Promise<void> {
  await forgetKeptAt(person.id, $coverage.get().id, place);
}

export async function forgetKeptAt(person: string, coverage: string, place: string): Promise<void> {
  const drafts = await readDrafts(person, coverage);
  await Promise.all(drafts.filter((draft) => draft.place === place).map(dropDraft));
}

export const changePlace = (id: string) => `change/${id}`;
export const withdrawPlace = (id: string) => `withdraw/${id}`;
