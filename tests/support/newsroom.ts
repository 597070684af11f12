import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { hashSync } from 'bcryptjs';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { anonClient } from './backend.ts';
import type { TestSite } from './site.ts';

/** Access to a site or backend, for creating accounts and assigning roles. */
type SiteAccess = Pick<TestSite, 'url' | 'publishableKey' | 'secretKey' | 'service'>;

export const ROLES = ['reader', 'contributor', 'reporter', 'moderator', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export type Account = { id: string; email: string; password: string };

export type Person = Account & {
  handle: string;
  role: Role;
  client: SupabaseClient;
};

/** Result of publishing, revising, correcting and withdrawing. */
export type SavedUpdate = { id: string; number: number; version: number; seq: number };

/** Content of an update. Other fields have the database's defaults. */
export type UpdateContent = {
  headline?: string;
  body?: Block[];
  key_event?: boolean;
  urgency?: 'normal' | 'important' | 'urgent';
  attribution?: string;
  dateline?: string;
  /** Ids of people. */
  bylines?: string[];
};

export type People = Record<Role, Person>;

export type Newsroom = {
  people: People;
  coverage: { id: string; slug: string };
  publish(content?: UpdateContent): Promise<SavedUpdate>;
  revise(update: SavedUpdate, content: UpdateContent): Promise<SavedUpdate>;
  correct(update: SavedUpdate, content: UpdateContent, note: string): Promise<SavedUpdate>;
  withdraw(update: SavedUpdate, reason: string): Promise<SavedUpdate>;
  pin(update: SavedUpdate | null): Promise<void>;
  setState(state: string): Promise<void>;
  setSummary(body: Block[]): Promise<void>;
};

/** Calls a database function with a new idempotency key. @throws the function's error */
export async function call<Result>(
  client: SupabaseClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Result> {
  return callServer(client, name, { idempotency_key: randomUUID(), ...args });
}

/** Calls a database function that takes no idempotency key. @throws the function's error */
export async function callServer<Result>(
  client: SupabaseClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Result> {
  const { data, error } = await client.rpc(name, args);
  if (error) throw new Error(`${name}: ${error.message} ${error.details ?? ''}`);
  return data as Result;
}

/** Publishes an urgent update as the editor, because only editors may mark an update as urgent. */
export const publishUrgent = ({ people, coverage }: Newsroom, text: string): Promise<SavedUpdate> =>
  call(people.editor.client, 'publish_update', {
    coverage_id: coverage.id,
    update_id: randomUUID(),
    content: { body: [paragraph(text)], urgency: 'urgent', bylines: [people.reporter.id] },
  });

/** Returns one paragraph of plain text. */
export const paragraph = (text: string): Block => ({ type: 'paragraph', runs: [{ text }] });

/** Returns a paragraph of about sixty words, the usual length of an update. */
export const longParagraph = (topic: string): Block =>
  paragraph(
    `${topic}. The river stood two metres above its usual mark this morning and was still rising when the ` +
      'second watch came on. Crews have carried sandbags to the lower gates, the school is closed, and the ' +
      'ferry stays at its pier. The council asks people near the water to move their cars and to look in on ' +
      'their neighbours before dark.',
  );

/** Creates signed-in people of every role and a live coverage, through the public interfaces. */
export async function createNewsroom(site: SiteAccess): Promise<Newsroom> {
  return createLiveCoverage(await createUsers(site));
}

/** Creates one signed-in person of each role. */
export async function createUsers(site: SiteAccess): Promise<People> {
  const people = {} as People;
  for (const role of ROLES) people[role] = await createUser(site, role);
  return people;
}

/** Creates a live coverage, of which the contributor is a member. */
export async function createLiveCoverage(people: People): Promise<Newsroom> {
  const editor = people.editor.client;
  const reporter = people.reporter.client;
  const coverage = { id: randomUUID(), slug: `river-${randomUUID().slice(0, 8)}` };
  const coverage_id = coverage.id;
  await call(editor, 'create_coverage', {
    coverage_id,
    content: {
      slug: coverage.slug,
      kicker: 'Floods',
      headline: 'The river rises at Harrow Bridge',
      standfirst: 'The latest from our reporters.',
      time_zone: 'Europe/Dublin',
      language: 'en',
    },
  });
  await call(editor, 'set_coverage_state', { coverage_id, state: 'live' });
  await call(editor, 'set_coverage_member', { coverage_id, person_id: people.contributor.id });

  let written = 0;
  const whole = (content: UpdateContent) => ({ body: [longParagraph(`Report ${++written}`)], ...content });
  return {
    people,
    coverage,
    publish: (content = {}) =>
      call(reporter, 'publish_update', { coverage_id, update_id: randomUUID(), content: whole(content) }),
    revise: ({ id, version }, content) =>
      call(reporter, 'revise_update', { update_id: id, version, content: whole(content) }),
    correct: ({ id, version }, content, note) =>
      call(reporter, 'correct_update', { update_id: id, version, content: whole(content), note }),
    withdraw: ({ id }, reason) => call(reporter, 'withdraw_update', { update_id: id, reason }),
    pin: (update) => call(editor, 'pin_update', { coverage_id, update_id: update?.id ?? null }),
    setState: (state) => call(editor, 'set_coverage_state', { coverage_id, state }),
    async setSummary(summary) {
      const { data } = await editor.from('coverages').select('version').eq('id', coverage_id).single();
      await call(editor, 'set_summary', { coverage_id, version: data?.version, summary });
    },
  };
}

/** The lowest cost of bcrypt. The default cost takes a twentieth of a second for each password. */
const BCRYPT_ROUNDS = 4;

/** Creates an account with a confirmed address, without sending a mail. */
export async function createAccount(
  { service }: Pick<SiteAccess, 'service'>,
  {
    name = 'reader',
    email = `${name}-${randomUUID()}@example.com`,
    password = 'correct horse battery',
  }: Partial<Record<'name' | 'email' | 'password', string>> = {},
): Promise<Account> {
  const password_hash = hashSync(password, BCRYPT_ROUNDS);
  const { data, error } = await service.auth.admin.createUser({ email, password_hash, email_confirm: true });
  if (error) throw error;
  return { id: data.user.id, email, password };
}

export async function createUser(site: SiteAccess, role: Role): Promise<Person> {
  const account = await createAccount(site, { name: role });
  if (role !== 'reader') await call(site.service, 'set_role', { person_id: account.id, role });
  const client = anonClient(site);
  const { error } = await client.auth.signInWithPassword(account);
  if (error) throw error;
  const { data } = await client.rpc('get_me');
  return { ...account, handle: (data as { handle: string }).handle, role, client };
}
