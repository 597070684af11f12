import { notify } from './broadcast.ts';
import type { StoreTransaction } from './database.ts';
import { readDrafts } from './drafts.ts';
import { type Draft, draftKey, type PhotoFollowUp, type QueuedCommand } from './entries.ts';
import { writeStore } from './store.ts';

/** A stored follow-up. Its base names the publishing command until the backend has answered it. */
export type StoredFollowUp = Draft<PhotoFollowUp>;

const followUpScope = (command: string) => `photos/${command}`;

/**
 * Stores the photos that a command leaves out.
 * @param transaction the transaction that stores the command
 */
export async function storeFollowUp(
  transaction: StoreTransaction,
  { id: command, person, coverage, subject }: Pick<QueuedCommand, 'id' | 'person' | 'coverage' | 'subject'>,
  followUp: PhotoFollowUp,
): Promise<void> {
  const address = { person, coverage, scope: followUpScope(command), id: subject };
  const key = draftKey(address);
  const stored: StoredFollowUp = {
    ...address,
    key,
    base: { version: null, command },
    form: followUp,
    before: null,
    isSaved: false,
    changeId: crypto.randomUUID(),
    at: Date.now(),
  };
  await transaction.put('drafts', key, stored);
}

/** Deletes the follow-ups of a command whose content, with all photos, is in an editor again or was discarded. */
export async function deleteFollowUps(transaction: StoreTransaction, command: string): Promise<void> {
  for (const { key, scope } of await transaction.all('drafts')) {
    if (scope === followUpScope(command)) await transaction.delete('drafts', key);
  }
}

/**
 * The follow-ups of a person, oldest first.
 * @param coverage id of a coverage; without it, follow-ups of all coverages
 */
export async function readFollowUps(person: string, coverage?: string): Promise<StoredFollowUp[]> {
  const drafts = await readDrafts(person, coverage);
  return drafts.filter(({ scope }) => scope.startsWith(followUpScope(''))) as StoredFollowUp[];
}

/** Photos of a follow-up that can be added as soon as they are uploaded: the publication was answered. */
export const sendableIds = ({ base, form }: StoredFollowUp): string[] =>
  base.command === null
    ? form.photos.filter(({ isDescribed, refusal }) => isDescribed && !refusal).map(({ id }) => id)
    : [];

/** Whether this device has photos of a person that only wait to be added to their updates. */
export const hasSendableFollowUps = async (person: string): Promise<boolean> =>
  (await readFollowUps(person)).some((followUp) => sendableIds(followUp).length > 0);

/** Changes the photos of a stored follow-up, and deletes it when none is left. */
export async function changeFollowUp(
  { key, person }: Pick<StoredFollowUp, 'key' | 'person'>,
  change: (photos: PhotoFollowUp['photos']) => PhotoFollowUp['photos'],
): Promise<void> {
  await writeStore(async (transaction) => {
    const stored = (await transaction.get('drafts', key)) as StoredFollowUp | undefined;
    if (!stored) return;
    const photos = change(stored.form.photos);
    if (photos.length === 0) await transaction.delete('drafts', key);
    else
      await transaction.put('drafts', key, {
        ...stored,
        form: { ...stored.form, photos },
        changeId: crypto.randomUUID(),
      });
  });
  notify({ type: 'drafts', person });
}
