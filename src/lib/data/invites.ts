import { LIMITS } from '../domain/limits.ts';
import { isUuid, pathWith } from '../domain/paths.ts';
import type { Role } from '../domain/permissions.ts';
import { accounts } from '../i18n/accounts.ts';
import { invites as words } from '../i18n/invites.ts';
import { people } from '../i18n/people.ts';
import { Refused, refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { isEmail, nameProblem, readEmail } from './credentials.ts';
import { type Rejected, rejected, textOf, wrongFields } from './forms.ts';
import { ROLES, roleOf } from './people.ts';
import { dataOf, functionData } from './result.ts';
import type { Session } from './session.server.ts';

/* Invitations, for an owner, under the owner's own rights. What holds the secret key is the function that sends them. */

type Backend = Session['backend'];

/** Roles that somebody is invited with: to read, nobody needs an invitation. */
export const INVITED_ROLES: readonly Role[] = ROLES.filter((role) => role !== 'reader');

export type InviteForm = {
  name: string;
  email: string;
  role: Role | undefined;
  /** Of a contributor. */
  coverage: string;
  days: string;
};

/** A way in for one person, to be handed over by the owner. Shown once, kept nowhere. */
export type HandedInvite = { name: string; href: string; why?: 'off' | 'failed' };
type Sent = { mailed: true } | { link: HandedInvite };
export type Invited = Sent | Rejected;

export function readInvite(form: FormData): InviteForm {
  return {
    name: textOf(form, 'name').trim(),
    email: readEmail(form),
    role: roleOf(form),
    coverage: textOf(form, 'coverage'),
    days: textOf(form, 'days').trim(),
  };
}

/** Invites somebody with a role: by mail, or by a link to copy where none can be sent or none is wanted. */
export async function invite(backend: Backend, form: FormData): Promise<Invited> {
  const { name, email, role, coverage, days } = readInvite(form);
  const wrong = wrongFields({
    name: nameProblem(name),
    email: isEmail(email) ? undefined : accounts.problems.email,
    role: role && INVITED_ROLES.includes(role) ? undefined : people.problems.role,
    days: role !== 'contributor' || /^[0-9]{0,9}$/.test(days) ? undefined : words.problems.days,
  });
  if (wrong) return wrong;
  const place =
    role === 'contributor'
      ? { coverage_id: coverage, days: days === '' ? LIMITS.contributor_days : Number(days) }
      : {};
  const content = { email, name, role, ...place };
  try {
    return await send(backend, name, { act: 'invite', id: crypto.randomUUID(), ...content }, form);
  } catch (error) {
    return rejected(refusalOrThrow(error), { coverage_id: 'coverage' });
  }
}

async function send(backend: Backend, name: string, call: object, form: FormData): Promise<Sent> {
  const by = textOf(form, 'by') === 'link' ? 'link' : 'mail';
  const body = { ...call, by };
  const sent = (await functionData(backend.functions.invoke('invite-person', { body })).catch(onTheWay)) as
    | { mailed: true }
    | { mailed: false; link: string; why?: 'off' | 'failed' };
  return sent.mailed ? { mailed: true } : { link: { name, href: sent.link, why: sent.why } };
}

/** A function that is not there says nothing that an owner could use. */
function onTheWay(error: unknown): never {
  const reason = refusalOrThrow(error);
  throw new Refused(
    ['unavailable', 'internal'].includes(reason.code)
      ? { ...reason, sentence: words.problems.sending }
      : reason,
  );
}

/** Invitations on one page of the list. */
const PAGE = 50;

/** The newest invitations, or those before one of them. */
export async function readInvites(backend: Backend, before: string | null) {
  let asked = backend
    .from('desk_invites')
    .select(
      'id, email, name, role, coverage, days, by_name, created_at, expires_at, accepted_at, revoked_at, state',
    )
    .order('created_at', { ascending: false })
    .order('id')
    .limit(PAGE + 1);
  if (before && !Number.isNaN(Date.parse(before))) asked = asked.lt('created_at', before);
  const rows = await dataOf(asked);
  return { rows: rows.slice(0, PAGE).map(asInvite), more: rows.length > PAGE };
}

export type Invite = ReturnType<typeof asInvite>;

/** Of a view nothing is known not to be null. */
function asInvite(row: Record<string, unknown>) {
  return row as {
    id: string;
    email: string;
    name: string;
    role: Role;
    coverage: { slug: string; headline: string } | null;
    days: number | null;
    by_name: string;
    created_at: string;
    expires_at: string;
    accepted_at: string | null;
    revoked_at: string | null;
    state: keyof typeof words.states;
  };
}

/** How many nobody has taken up yet. */
export async function countOpenInvites(backend: Backend): Promise<number> {
  const { rows } = await readInvites(backend, null);
  return rows.filter(({ state }) => state === 'pending').length;
}

/** Coverages that a contributor can be invited to, the newest first. */
export async function readInvitingCoverages(backend: Backend) {
  return dataOf(
    backend
      .from('coverages')
      .select('id, headline')
      .in('state', ['draft', 'scheduled', 'live', 'paused', 'ended'])
      .order('published_at', { ascending: false })
      .limit(100),
  );
}

/** What a form of the list comes to: `again` by mail or link, `revoke`. */
export async function changeInvite(
  backend: Backend,
  form: FormData,
): Promise<
  { done: keyof typeof words.done; invite: string } | { link: HandedInvite } | (Rejected & { invite: string })
> {
  const id = textOf(form, 'invite');
  try {
    if (!isUuid(id)) throw new Refused(refusal('not_found'));
    if (textOf(form, 'act') === 'revoke') {
      await dataOf(backend.rpc('revoke_invite', { op: crypto.randomUUID(), invite_id: id }));
      return { done: 'revoked', invite: id };
    }
    const { name } = asInvite(
      await dataOf(backend.from('desk_invites').select('name').eq('id', id).single()),
    );
    const sent = await send(backend, name, { act: 'again', id }, form);
    return 'link' in sent ? sent : { done: 'mailed', invite: id };
  } catch (error) {
    return { ...rejected(refusalOrThrow(error)), invite: id };
  }
}

/** The list again, saying what happened. */
export const invitesPath = (more: Record<string, string | null> = {}) =>
  pathWith('/desk/people/invites', more);
