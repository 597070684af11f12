import { readMailbox, signIn } from '../auth/accounts.server.ts';
import { nameProblem, passwordProblem } from '../auth/credentials.ts';
import { afterSignIn } from '../auth/next.ts';
import { hasDesk, type Role } from '../auth/permissions.ts';
import type { Person } from '../auth/person.ts';
import type { Session } from '../auth/session.server.ts';
import { refusalOrThrow } from '../http/errors.ts';
import { textOf } from '../http/forms.ts';
import { type Rejected, rejected, wrongFields } from '../http/rejected.ts';
import { dataOf } from '../supabase/answer.ts';
import { functionData } from '../supabase/functions.ts';

/* An invitation, for whoever holds its link. */

type Backend = Session['backend'];

/** What an open invitation says; of one that has ended only how. */
export type OpenedInvite =
  | { state: 'accepted' | 'revoked' | 'expired' }
  | {
      state: 'pending';
      email: string;
      name: string;
      role: Role;
      /** Null also where readers do not know of it yet. */
      coverage: { slug: string; headline: string } | null;
      /** Of a contributor. */
      days: number | null;
      by: string;
      expires_at: string;
      /** There is an account with this address. */
      known: boolean;
    };

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** @returns null for a link that leads to nothing */
export async function openInvite(backend: Backend, token: string): Promise<OpenedInvite | null> {
  if (!TOKEN.test(token)) return null;
  return (await dataOf(backend.rpc('read_invite', { token }))) as OpenedInvite | null;
}

/** Whether the account that is signed in is the one that an invitation is for. */
export async function isInvited(backend: Backend, { email }: { email: string }): Promise<boolean> {
  return (await readMailbox(backend)).email.toLowerCase() === email;
}

/**
 * Takes an invitation up, as its form was sent: with a new account, or with the one that is signed in.
 * @returns the path to go on to
 */
export async function takeUp(
  backend: Backend,
  token: string,
  invite: Extract<OpenedInvite, { state: 'pending' }>,
  form: FormData,
): Promise<{ goTo: string } | Rejected> {
  try {
    if (textOf(form, 'act') === 'join') {
      const refused = await join(backend, token, invite, form);
      if (refused) return refused;
    }
    const done = await dataOf(backend.rpc('accept_invite', { op: crypto.randomUUID(), token }));
    const { role, coverage } = done as Pick<Person, 'role'> & { coverage: string | null };
    return { goTo: coverage && hasDesk(role) ? `/desk/${coverage}` : afterSignIn(role) };
  } catch (error) {
    return rejected(refusalOrThrow(error));
  }
}

/** Makes the account and begins its session. @returns why not */
async function join(backend: Backend, token: string, { email }: { email: string }, form: FormData) {
  const [name, password] = [textOf(form, 'name').trim(), textOf(form, 'password')];
  const wrong = wrongFields({ name: nameProblem(name), password: passwordProblem(password, email) });
  if (wrong) return wrong;
  const body = { act: 'join', token, name, password };
  await functionData(backend.functions.invoke('invite-person', { body }));
  const outcome = await signIn(backend, { email, password });
  if ('refusal' in outcome) return rejected(outcome.refusal);
  // Whoever named the account before may have been somebody else.
  if (outcome.person.display_name !== name) {
    await dataOf(backend.rpc('save_me', { op: crypto.randomUUID(), content: { display_name: name } }));
  }
  return undefined;
}
