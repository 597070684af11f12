import { Constants } from '../domain/database.types.ts';
import { type PageSize, paginateByTime, readBefore } from '../domain/list-paths.ts';
import { isUuid, pathWith } from '../domain/paths.ts';
import type { Role } from '../domain/permissions.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, Refused, refusalOrThrow } from '../i18n/refusals.ts';
import { fieldText } from './forms.ts';
import { readerClient } from './reader-client.server.ts';
import { type BackendClient, dataOf } from './result.ts';
import { readUpdateLines } from './updates.ts';

/* People of the newsroom, for owners. Every call uses the owner's permissions: the database refuses others. */

/** Number of people on one page. */
const PAGE = 50;

type DirectoryFilters = { search: string; after: string | null };
type Directory = Awaited<ReturnType<typeof readDirectory>>;

export type DirectoryPerson = Directory['rows'][number];

/** Reads the query parameters of the list of people. */
export function readDirectoryFilters(url: URL): DirectoryFilters {
  const after = url.searchParams.get('after') ?? '';
  return { search: url.searchParams.get('q')?.trim() ?? '', after: isUuid(after) ? after : null };
}

/** Path of a part of the list; `more` adds the parameters of a status message. */
export function directoryPath(
  { search, after }: DirectoryFilters,
  more: Record<string, string> = {},
): string {
  return pathWith('/desk/people', { q: search || null, after, ...more });
}

/**
 * Returns one page of the list, staff first.
 * @throws Refused `forbidden` unless the caller is an owner
 */
export async function readDirectory(backend: BackendClient, filters: DirectoryFilters) {
  const { search, after } = filters;
  const rows = await dataOf(
    backend.rpc('desk_people', { search, ...(after && { after }), max_rows: PAGE + 1 }),
  );
  return { rows: rows.slice(0, PAGE), more: rows.length > PAGE };
}

/** A person as owners see them. */
type PersonRecord = Omit<DirectoryPerson, 'email' | 'last_sign_in_at'> & {
  bio: string;
  bylined: boolean;
  deleted_at: string | null;
  email: string | null;
  last_sign_in_at: string | null;
  /** Memberships of a contributor, the latest expiry first. */
  memberships: { slug: string; headline: string; expires_at: string; expired: boolean }[];
  invites: {
    id: string;
    role: Role;
    state: 'pending' | 'accepted' | 'revoked' | 'expired';
    created_at: string;
  }[];
};

/**
 * Returns a person by id; null if there is none.
 * @throws Refused `forbidden` unless the caller is an owner
 */
export async function readDeskPerson(backend: BackendClient, id: string): Promise<PersonRecord | null> {
  if (!isUuid(id)) return null;
  return (await dataOf(backend.rpc('desk_person', { person_id: id }))) as PersonRecord | null;
}

/** Roles in ascending order of permissions. */
export const ROLES: readonly Role[] = Constants.public.Enums.person_role;

export const roleOf = (form: FormData): Role | undefined =>
  ROLES.find((role) => role === fieldText(form, 'role'));

/** Keys of the status messages. */
type Done = keyof Messages['people']['done'];

/** Returns the status message that the URL names, and the person whom it concerns. */
export function directoryMessage(
  messages: Messages,
  url: URL,
): { person: string | null; sentence: string } | undefined {
  const done = url.searchParams.get('done');
  const sentence = Object.entries(messages.people.done).find(([name]) => name === done)?.[1];
  return sentence === undefined ? undefined : { person: url.searchParams.get('person'), sentence };
}

/** Handles the forms of the list: changes a role, deactivates or activates an account. */
export async function changePerson(
  backend: BackendClient,
  form: FormData,
): Promise<{ done: Done; person: string } | { refusal: Refusal; person: string }> {
  const person = fieldText(form, 'person');
  try {
    return { done: await change(backend, form, person), person };
  } catch (error) {
    return { refusal: refusalOrThrow(error), person };
  }
}

async function change(backend: BackendClient, form: FormData, person_id: string): Promise<Done> {
  const idempotency_key = crypto.randomUUID();
  const role = roleOf(form);
  switch (fieldText(form, 'act')) {
    case 'role':
      if (!role)
        throw new Refused('invalid', { field: 'role', message: ({ people }) => people.problems.role });
      await dataOf(backend.rpc('set_role', { idempotency_key, person_id, role }));
      return 'role';
    case 'deactivate':
      await dataOf(backend.rpc('set_active', { idempotency_key, person_id, active: false }));
      return 'deactivated';
    case 'activate':
      await dataOf(backend.rpc('set_active', { idempotency_key, person_id, active: true }));
      return 'activated';
  }
  throw new Refused('invalid');
}

/** Number of updates on a person's page. */
const PAGE_SIZE: PageSize = { min: 30, max: 60 };

/**
 * Returns a person with a public byline and their updates, newest first; null if there is no such person or page.
 * @param before `before` parameter of the page; without it, the newest page
 */
export async function readPersonPage(handle: string, before?: string) {
  const from = before === undefined ? {} : readBefore(before);
  const person =
    from &&
    (await dataOf(
      readerClient()
        .from('people')
        .select('id, handle, display_name, bio')
        .eq('handle', handle)
        .maybeSingle(),
    ));
  if (!person) return null;
  const rows = await dataOf(
    readerClient().rpc('list_updates_by_person', {
      person_id: person.id,
      max_rows: PAGE_SIZE.max + 1,
      ...from,
    }),
  );
  if (before && rows.length === 0) return null;
  const positions = rows.map(({ update_id, list_position }) => ({ id: update_id, position: list_position }));
  const { shown, before: older } = paginateByTime(positions, PAGE_SIZE);
  const updates = await readUpdateLines(positions.slice(0, shown).map(({ id }) => id));
  return { person, updates, older };
}

type PersonsUpdate = Awaited<ReturnType<typeof readUpdateLines>>[number];

/** Groups updates by coverage, the coverage with the newest update first. */
export function groupByCoverage(updates: PersonsUpdate[]) {
  const groups = Map.groupBy(updates, ({ coverage }) => coverage.slug);
  return [...groups.values()].flatMap((group) =>
    group[0] ? [{ coverage: group[0].coverage, updates: group }] : [],
  );
}

/**
 * Returns all data stored about the caller, as readable JSON.
 * @throws Refused
 */
export async function readMyData(backend: BackendClient): Promise<string> {
  return `${JSON.stringify(await dataOf(backend.rpc('my_data')), null, 2)}\n`;
}

/** File name of the data, with today's date. */
export const myDataName = (handle: string, now: Date) => `${handle}-${now.toISOString().slice(0, 10)}.json`;

/** Well-known browsers and systems. Browsers that also name another one come before it. */
const BROWSERS: [name: string, mark: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/\S+.*\bSafari\//],
];
const SYSTEMS: [name: string, mark: RegExp][] = [
  ['iPhone', /\b(iPhone|iPod)\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Mac', /\bMac(intosh| OS X)\b/],
  ['Linux', /\bLinux\b/],
];

/** Maximum number of characters that are examined. Real User-Agent headers are shorter. */
const MAX_LENGTH = 400;

/** Returns the browser and system that a User-Agent header names, if they are known. */
export function describeUserAgent(userAgent: string): { browser?: string; system?: string } {
  const text = userAgent.slice(0, MAX_LENGTH);
  const named = (names: [string, RegExp][]) => names.find(([, pattern]) => pattern.test(text))?.[0];
  return { browser: named(BROWSERS), system: named(SYSTEMS) };
}
