import { dataOf } from '../supabase/answer.ts';
import { reader } from '../supabase/reader.server.ts';
import type { Target } from './follow.ts';

/*
 * Whoever has the secret of a mail may stop such mails: that needs no account, and shows nobody whose it is.
 */

/** What the mails are about that a secret stops. */
export type Stoppable = Target & {
  name: string;
  /** They are sent still. */
  goesOn: boolean;
};

/** What cannot be one is not asked for. */
const SECRET = /^[\w-]{20,100}$/;

/** What would be stopped; null when there is no such link. @throws Refused */
export async function readStop(secret: string): Promise<Stoppable | null> {
  if (!SECRET.test(secret)) return null;
  const found = (await dataOf(reader().rpc('read_stop', { secret }))) as Told<'mail'>;
  return found && { ...found, goesOn: found.mail };
}

/** Stops them; once more does no harm. @returns what they were about; null when there is no such link @throws Refused */
export async function stopFollow(secret: string): Promise<Stoppable | null> {
  if (!SECRET.test(secret)) return null;
  const found = (await dataOf(reader().rpc('stop_follow', { secret }))) as Told<'was'>;
  return found && { ...found, goesOn: false };
}

type Told<Flag extends string> = (Target & { name: string } & Record<Flag, boolean>) | null;
