import type { Role } from '../auth/permissions.ts';
import type { Session } from '../auth/session.server.ts';
import { type Refusal, Refused, refusal, refusalOrThrow } from '../http/errors.ts';
import { textOf } from '../http/forms.ts';
import { pathWith } from '../http/path.ts';
import { isUuid } from '../http/uuid.ts';
import { dataOf } from '../supabase/answer.ts';
import { Constants } from '../supabase/database.types.ts';
import { people as words } from '../text/people.ts';

/* The people of a newsroom, for its owner. Every call is under the owner's own rights: the database refuses others. */

type Backend = Session['backend'];

/** People on one page of the list. */
const PAGE = 50;

type DirectoryQuestion = { search: string; after: string | null };
type Directory = {
  rows: Awaited<ReturnType<typeof readPage>>;
  /** Whether there are more after these. */
  more: boolean;
};
export type DirectoryPerson = Directory['rows'][number];

/** What an address asks to see. */
export function directoryQuestion(url: URL): DirectoryQuestion {
  const after = url.searchParams.get('after') ?? '';
  return { search: url.searchParams.get('q')?.trim() ?? '', after: isUuid(after) ? after : null };
}

/** The address of a part of the list; `more` says what was done and with whom. */
export function directoryPath(
  { search, after }: DirectoryQuestion,
  more: Record<string, string> = {},
): string {
  return pathWith('/desk/people', { q: search || null, after, ...more });
}

/**
 * A page of the list, staff first.
 * @throws Refused `forbidden` for anybody but an owner
 */
export async function readDirectory(backend: Backend, question: DirectoryQuestion): Promise<Directory> {
  const rows = await readPage(backend, question, PAGE + 1);
  return { rows: rows.slice(0, PAGE), more: rows.length > PAGE };
}

async function readPage(backend: Backend, { search, after }: DirectoryQuestion, most: number) {
  return dataOf(backend.rpc('desk_people', { search, ...(after && { after }), most }));
}

/** One person as an owner sees them. */
export type DeskPerson = Omit<DirectoryPerson, 'email' | 'last_sign_in_at'> & {
  bio: string;
  bylined: boolean;
  deleted_at: string | null;
  email: string | null;
  last_sign_in_at: string | null;
  /** Where a contributor may write, the longest first. */
  places: { slug: string; headline: string; expires_at: string; expired: boolean }[];
  invites: {
    id: string;
    role: Role;
    state: 'pending' | 'accepted' | 'revoked' | 'expired';
    created_at: string;
  }[];
};

/**
 * @returns null for nobody
 * @throws Refused `forbidden` for anybody but an owner
 */
export async function readDeskPerson(backend: Backend, id: string): Promise<DeskPerson | null> {
  if (!isUuid(id)) return null;
  return (await dataOf(backend.rpc('desk_person', { person_id: id }))) as DeskPerson | null;
}

/** In the order of what they may do. */
export const ROLES: readonly Role[] = Constants.public.Enums.person_role;

export const roleOf = (form: FormData): Role | undefined =>
  ROLES.find((role) => role === textOf(form, 'role'));

/** What can have happened to somebody on this page. */
type Done = keyof typeof words.done;

/** The sentence of what happened, and to whom, as the path of `directoryPath` carries it. */
export function saidBy(url: URL): { person: string | null; sentence: string } | undefined {
  const done = url.searchParams.get('done');
  const sentence = Object.entries(words.done).find(([name]) => name === done)?.[1];
  return sentence === undefined ? undefined : { person: url.searchParams.get('person'), sentence };
}

/** What a form of the list comes to. */
export async function changePerson(
  backend: Backend,
  form: FormData,
): Promise<{ done: Done; person: string } | { refusal: Refusal; person: string }> {
  const person = textOf(form, 'person');
  try {
    return { done: await change(backend, form, person), person };
  } catch (error) {
    return { refusal: refusalOrThrow(error), person };
  }
}

async function change(backend: Backend, form: FormData, person_id: string): Promise<Done> {
  const op = crypto.randomUUID();
  const role = roleOf(form);
  switch (textOf(form, 'act')) {
    case 'role':
      if (!role) throw new Refused(refusal('invalid', { field: 'role', sentence: words.problems.role }));
      await dataOf(backend.rpc('set_role', { op, person_id, role }));
      return 'role';
    case 'deactivate':
      await dataOf(backend.rpc('set_active', { op, person_id, active: false }));
      return 'deactivated';
    case 'activate':
      await dataOf(backend.rpc('set_active', { op, person_id, active: true }));
      return 'activated';
  }
  throw new Refused(refusal('invalid'));
}
