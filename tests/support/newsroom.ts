import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { hashSync } from 'bcryptjs';
import type { Block } from '../../src/lib/domain/body/blocks.ts';
import { anonClient } from './backend.ts';
import type { TestSite } from './site.ts';

/** All that people need of a site, or of a backend alone: to sign up, and to be given a role. */
type SiteAccess = Pick<TestSite, 'url' | 'publishableKey' | 'secretKey' | 'service'>;

export const ROLES = ['reader', 'contributor', 'reporter', 'moderator', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export type Account = { id: string; email: string; password: string };

export type Person = Account & {
  handle: string;
  role: Role;
  client: SupabaseClient;
};

/** What publishing, revising, correcting and withdrawing answer. */
export type Saved = { id: string; number: number; version: number; seq: number };

/** What is said of an update when it is written; the rest takes the database's own defaults. */
export type Content = {
  headline?: string;
  body?: Block[];
  key_event?: boolean;
  urgency?: 'normal' | 'important' | 'urgent';
};

export type People = Record<Role, Person>;

export type Newsroom = {
  people: People;
  coverage: { id: string; slug: string };
  publish(content?: Content): Promise<Saved>;
  revise(update: Saved, content: Content): Promise<Saved>;
  correct(update: Saved, content: Content, note: string): Promise<Saved>;
  withdraw(update: Saved, reason: string): Promise<Saved>;
  pin(update: Saved | null): Promise<void>;
  setState(state: string): Promise<void>;
  setSummary(body: Block[]): Promise<void>;
};

/** Runs a function of the database with a new op, and throws what it refuses. */
export async function call<Result>(
  client: SupabaseClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Result> {
  return callServer(client, name, { op: randomUUID(), ...args });
}

/** The same for a function that takes no op, as most of the server's own. */
export async function callServer<Result>(
  client: SupabaseClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Result> {
  const { data, error } = await client.rpc(name, args);
  if (error) throw new Error(`${name}: ${error.message} ${error.details ?? ''}`);
  return data as Result;
}

/** One paragraph of plain text. */
export const paragraph = (text: string): Block => ({ type: 'paragraph', runs: [{ text }] });

/** About sixty words: what a live page's updates usually have. */
export const words = (topic: string): Block =>
  paragraph(
    `${topic}. The river stood two metres above its usual mark this morning and was still rising when the ` +
      'second watch came on. Crews have carried sandbags to the lower gates, the school is closed, and the ' +
      'ferry stays at its pier. The council asks people near the water to move their cars and to look in on ' +
      'their neighbours before dark.',
  );

/** Signed-in people of every role and a live coverage of theirs, all made through the ordinary interfaces. */
export async function createNewsroom(site: SiteAccess): Promise<Newsroom> {
  return createLiveCoverage(await createUsers(site));
}

/** One signed-in person of each role. */
export async function createUsers(site: SiteAccess): Promise<People> {
  const people = {} as People;
  for (const role of ROLES) people[role] = await createUser(site, role);
  return people;
}

/** A new live coverage, in which the reporter writes and the editor decides; the contributor belongs to it. */
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
      standfirst: 'What is known, as it comes in.',
      time_zone: 'Europe/Dublin',
      language: 'en',
    },
  });
  await call(editor, 'set_coverage_state', { coverage_id, state: 'live' });
  await call(editor, 'set_coverage_member', { coverage_id, person_id: people.contributor.id });

  let written = 0;
  const whole = (content: Content) => ({ body: [words(`Report ${++written}`)], ...content });
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

/** The least work that bcrypt knows: these passwords are no secret, and each takes a twentieth of a second at the usual. */
const BCRYPT_ROUNDS = 4;

/** Somebody with an account, whose address is confirmed without a mail. */
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
