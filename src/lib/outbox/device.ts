import { notify } from './news.ts';
import { PERSON, readStore, writeStore } from './shelf-here.ts';

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
