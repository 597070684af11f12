import { tell } from './news.ts';
import { PERSON, reading, writing } from './shelf-here.ts';

const deskKey = (person: string, slug: string) => `desk/${person}/${slug}`;

/** Whose words this device may send and show: who signed in here last, until they sign out. */
export async function devicePerson(): Promise<string | null> {
  const kept = await reading((hand) => hand.get('device', PERSON));
  return typeof kept === 'string' ? kept : null;
}

/** @param id null when they sign out */
export async function setDevicePerson(id: string | null): Promise<void> {
  if ((await devicePerson()) === id) return;
  await writing((hand) => (id === null ? hand.drop('device', PERSON) : hand.put('device', PERSON, id)));
  tell({ of: 'device' });
}

/** Keeps what the desk of a coverage needs to open without a line. @param context plain data */
export async function keepDesk(person: string, slug: string, context: unknown): Promise<void> {
  await writing((hand) => hand.put('device', deskKey(person, slug), context));
}

/** What was kept of a desk for this person; undefined for a desk that they never opened here. */
export function readDesk(person: string, slug: string): Promise<unknown> {
  return reading((hand) => hand.get('device', deskKey(person, slug)));
}

/** What was kept of all desks that this person has opened here. */
export async function readDesks(person: string): Promise<unknown[]> {
  const all = await reading((hand) => hand.all('device'));
  return all.filter((kept) => (kept as { person?: { id?: string } } | null)?.person?.id === person);
}

/** Forgets what was kept of a person's desks: they are not theirs any more, or the device is not. */
export async function forgetDesks(person: string, slugs: readonly string[]): Promise<void> {
  await writing(async (hand) => {
    for (const slug of slugs) await hand.drop('device', deskKey(person, slug));
  });
}
