import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { buildSite } from '../../src/lib/cli/build.ts';
import { importFeed } from '../../src/lib/cli/import/import-feed.ts';
import { readFeed } from '../../src/lib/cli/import/read-feed.ts';
import { MEMORY_ENVIRONMENT, SITE_FLAGS, SUPERVISOR_FLAGS } from '../../src/lib/server/memory-flags.ts';
import { startChild } from '../support/processes.ts';
import type { Endings } from './endings.ts';

export type Newsroom = {
  /** Base URL of the site. The backend's paths are below it. */
  url: string;
  /** Process id of the site or, if everything runs, of the supervisor. */
  pid: number;
  publishableKey: string;
  /** Client with the secret key, which passes every policy. */
  service: SupabaseClient;
  /** Everything the server has written to stderr so far. */
  errors(): string;
};

export type Coverage = { id: string; slug: string; seq: number };

/** A new data folder, which the bench deletes. */
export const newFolder = async (endings: Endings): Promise<string> =>
  endings.add(await mkdtemp(join(tmpdir(), 'stoppress-bench-')), (data) =>
    rm(data, { recursive: true, force: true }),
  );

/** What runs: the site with its backend, or all of `npm start`. */
type Program = { main: string; flags: readonly string[] };
const SITE: Program = { main: 'src/lib/server/main.ts', flags: SITE_FLAGS };
export const WHOLE: Program = { main: 'src/lib/server/supervisor/main.ts', flags: SUPERVISOR_FLAGS };

/** Starts the built site on a free port with a new data folder. */
export async function openNewsroom(
  endings: Endings,
  environment: Record<string, string> = {},
  program = SITE,
): Promise<Newsroom> {
  await buildSite();
  const publishableKey = `sb_publishable_${randomUUID()}`;
  const secretKey = `sb_secret_${randomUUID()}`;
  const whole = {
    ...MEMORY_ENVIRONMENT,
    PORT: '0',
    STOPPRESS_DATA: await newFolder(endings),
    STOPPRESS_BACKUP_AT: 'off',
    PUBLIC_SUPABASE_PUBLISHABLE_KEY: publishableKey,
    SUPABASE_SECRET_KEY: secretKey,
    ...environment,
  };
  const site = await startChild<{ url: string }>(resolve(program.main), whole, program.flags);
  endings.add(site, () => site.stop());
  const { url } = site.ready;
  return { url, pid: site.pid, publishableKey, service: client(url, secretKey), errors: site.errors };
}

export const client = (url: string, key: string): SupabaseClient =>
  createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } });

/** Imports a feed as a live coverage. @param feed its text */
export async function importLiveFeed({ service }: Newsroom, feed: string, slug: string): Promise<Coverage> {
  await importFeed(service, readFeed(feed), { slug, state: 'live', progress: () => {} });
  const { data } = await service
    .from('coverages')
    .select('id, slug, seq')
    .eq('slug', slug)
    .single()
    .throwOnError();
  return data;
}

/** A feed with updates of about sixty words, ten minutes apart. */
export function longFeed(updates: number): string {
  const items = Array.from({ length: updates }, (_, n) => ({
    id: `report-${n}`,
    date_published: new Date(Date.UTC(2026, 0, 1) + n * 600_000).toISOString(),
    content_text: words(`Report ${n + 1}`),
    tags: n % 50 === 0 ? ['key-event'] : [],
  }));
  const title = 'The river rises at Harrow Bridge';
  return JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title, items });
}

/** About sixty words, the usual length of an update. */
export const words = (topic: string): string =>
  `${topic}. The river stood two metres above its usual mark this morning and was still rising when the second watch ` +
  'came on. Crews have carried sandbags to the lower gates, the school is closed, and the ferry stays at its pier. ' +
  'The council asks people near the water to move their cars and to look in on their neighbours before dark.';

/** Creates an account with a role. */
export async function createUser(
  { service }: Newsroom,
  role: string,
): Promise<{ email: string; password: string }> {
  const account = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const { data, error } = await service.auth.admin.createUser({ ...account, email_confirm: true });
  if (error) throw error;
  await service
    .rpc('set_role', { idempotency_key: randomUUID(), person_id: data.user.id, role })
    .throwOnError();
  return account;
}

/** Creates a signed-in person with a role. */
export async function signedIn(newsroom: Newsroom, role: string): Promise<SupabaseClient> {
  const account = await createUser(newsroom, role);
  const person = client(newsroom.url, newsroom.publishableKey);
  const { error } = await person.auth.signInWithPassword(account);
  if (error) throw error;
  return person;
}
