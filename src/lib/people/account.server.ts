import {
  type AlertDevice,
  type AlertMeans,
  type Follow,
  readAlertMeans,
  readMyAlertDevices,
  readMyFollows,
} from '../alerts/my-follows.ts';
import type { Person } from '../auth/person.ts';
import { authRefusal } from '../auth/refusal.server.ts';
import { type Session, sessionOf } from '../auth/session.server.ts';
import { type Refusal, Refused, refusal, refusalOrThrow } from '../http/errors.ts';
import { dataOf } from '../supabase/answer.ts';
import { type OwnTip, readOwnTips } from '../tips/own.ts';

type Backend = Session['backend'];

/** What the auth service knows of an account. */
export type Account = {
  id: string;
  email: string;
  /** An address that waits to be confirmed. */
  newEmail: string | undefined;
};

export type OpenAccount = Account & {
  person: Person;
  devices: Awaited<ReturnType<typeof readDevices>>;
  follows: Follow[];
  alertDevices: AlertDevice[];
  means: AlertMeans;
  tips: OwnTip[];
};

/** The account of whoever asks, with all that its page shows; or why it cannot be shown (`signed_out`, `unavailable`). */
export async function openAccount(locals: App.Locals): Promise<OpenAccount | Refusal> {
  try {
    const { person, backend } = sessionOf(locals);
    if (!person) return refusal('signed_out');
    const [account, devices, follows, alertDevices, means, tips] = await Promise.all([
      readAccount(backend),
      readDevices(backend),
      readMyFollows(backend),
      readMyAlertDevices(backend),
      readAlertMeans(backend),
      readOwnTips(backend),
    ]);
    return { person, ...account, devices, follows, alertDevices, means, tips };
  } catch (error) {
    return refusalOrThrow(error);
  }
}

/** @throws Refused (`signed_out` when the session has ended) */
export async function readAccount(backend: Backend): Promise<Account> {
  const { data, error } = await backend.auth.getUser();
  if (error) throw new Refused(authRefusal(error, backend));
  return { id: data.user.id, email: data.user.email ?? '', newEmail: data.user.new_email || undefined };
}

/** The devices on which the caller is signed in, this one first. */
async function readDevices(backend: Backend) {
  return dataOf(backend.rpc('my_devices'));
}
