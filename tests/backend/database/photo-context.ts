import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { Claims } from '../../../packages/embedded-supabase/src/tokens.ts';
import { openTestDatabase, SERVER, type TestDatabase, VISITOR } from '../../support/database.ts';
import { paragraph } from '../../support/newsroom.ts';

/* Photos: their content, permissions, visibility and deletion. */

export type Person = Claims & { sub: string };

export let database: TestDatabase;

export let [editor, reporter, colleague]: Person[] = [];

export let coverage_id: string;

export async function makeCoverage() {
  const id = randomUUID();
  await callAs(editor, 'create_coverage', {
    coverage_id: id,
    content: { slug: `case-${id}`, headline: 'A case' },
  });
  await callAs(editor, 'set_coverage_state', { coverage_id: id, state: 'live' });
  return id;
}

export const callAs = (who: Claims | undefined, name: string, args: Record<string, unknown>) =>
  database.call(who ?? VISITOR, [name, args]) as Promise<Record<string, unknown>>;

export const PRINTS = [
  { width: 480, height: 320, bytes: 9_000 },
  { width: 960, height: 640, bytes: 30_000 },
];

export const develop = (photo_id: string, renditions: unknown = PRINTS, colour = '#0a1b2c') =>
  callAs(SERVER, 'mark_photo_ready', { photo_id, renditions, placeholder_colour: colour });

/** Announces a photo. @returns its id */
export async function announce(who = reporter, content: object = { alt: 'A dam.' }, coverage = coverage_id) {
  const photo_id = randomUUID();
  await callAs(who, 'save_photo', { photo_id, coverage_id: coverage, content });
  return photo_id;
}

/** Announces and processes a photo. @returns its id */
export async function announced(who = reporter, content?: object) {
  const photo = await announce(who, content);
  await develop(photo);
  return photo;
}

export const showing = (...photos: string[]) => ({
  body: [paragraph('Look.'), ...photos.map((photo) => ({ type: 'photo', photo }))],
});

export const publish = (who: Person | undefined, content: object, update_id = randomUUID()) =>
  callAs(who, 'publish_update', { coverage_id, update_id, content });

export const save = (
  who: Person | undefined,
  content: object,
  update_id = randomUUID(),
  version: number | null = null,
) => callAs(who, 'save_update', { coverage_id, update_id, content, version });

export const rowOf = async (photo: string) =>
  (await database.rows('select * from public.photos where id = $1', [photo]))[0];

/** Those of these photos that the policies show to a caller. */
export const seenBy = (who: Claims | undefined, ...photos: string[]) =>
  database.as(who ?? VISITOR, async (session) => {
    const { rows } = await session.query<{ id: string }>(
      `select p.id from public.update_photos u join public.photos p on p.id = u.photo_id where p.id = any ($1::uuid[])`,
      [photos],
    );
    return rows.map(({ id }) => id);
  });

/** Inserts a storage object, as the storage service does. */
export const store = (bucket: string, name: string) =>
  database.rows('insert into storage.objects (bucket_id, name) values ($1, $2)', [bucket, name]);

/** Prepares a database with a live coverage and its people for the tests of a file. */
export function usePhotoDatabase(): void {
  beforeAll(async () => {
    database = await openTestDatabase();
    [editor, reporter, colleague] = await Promise.all([
      database.createUser('editor'),
      database.createUser('reporter'),
      database.createUser('reporter'),
    ]);
    coverage_id = await makeCoverage();
  });
  afterAll(() => database.close());
}
