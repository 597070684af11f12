import type { APIContext } from 'astro';
import { beginChosen } from '../alerts/follow.server.ts';
import { readChosen } from '../alerts/follow.ts';
import { type Refusal, refusal } from '../http/errors.ts';
import { accounts } from '../text/accounts.ts';
import { mailConfirmation, mailFollow, mailRecovery, mailSignIn, redeem } from './by-mail.server.ts';
import { isEmail, readCode, readEmail } from './credentials.ts';
import { codePath, type MailWay } from './mail-ways.ts';
import { forgetMailed, lastMailed, noteMailed, pauseLeft } from './mailed-cookie.server.ts';
import { afterSignIn, CHOOSE_PASSWORD } from './next.ts';
import type { Session } from './session.server.ts';

/** What the page of mailed codes shows: the form for an address, or the one for the code that went there. */
export type MailStep = {
  at: 'address' | 'code';
  email: string;
  /** When the mail went, in milliseconds since 1970, where this browser knows. */
  sentAt?: number;
  refused?: Refusal;
};

type Place = Pick<APIContext, 'cookies' | 'url'>;
type Where = { way: MailWay; next: string | null };
type Backend = Session['backend'];

/** How each way in asks for its mail, and what the code is then good for. */
const WAYS = {
  'sign-in': { ask: mailSignIn, type: 'email' },
  'sign-up': { ask: mailConfirmation, type: 'email' },
  recovery: { ask: mailRecovery, type: 'recovery' },
  follow: { ask: mailFollow, type: 'email' },
} as const;

/** Where somebody stands who comes to the page: at the code, when a mail has just been sent. */
export function mailStep(place: Place, { way }: Pick<Where, 'way'>): MailStep {
  const mailed = lastMailed(place, way);
  return mailed ? { at: 'code', email: mailed.email, sentAt: mailed.at } : { at: 'address', email: '' };
}

/**
 * Does what a form of the page asks, by the name of its button: `code` uses the code that was typed, `again` sends
 * another mail, and anything else the first one.
 * @returns the path to go on to, or what to show with the reason why nothing was done
 */
export async function takeMailStep(
  place: Place,
  form: FormData,
  where: Where,
  backend: Backend,
): Promise<string | MailStep> {
  const act = form.get('act');
  const email = readEmail(form);
  if (!isEmail(email)) {
    const refused = refusal('invalid', { field: 'email', sentence: accounts.problems.email });
    return { at: 'address', email, refused };
  }
  const { sentAt, ...last } = mailStep(place, where);
  const before = last.email === email ? sentAt : undefined;
  const stay = (refused: Refusal): MailStep => {
    const at = act === 'code' || act === 'again' ? 'code' : 'address';
    return { at, email, sentAt: before, refused };
  };

  if (act === 'code') {
    const code = readCode(form);
    if (!code) return stay(refusal('invalid', { field: 'code', sentence: accounts.problems.code }));
    const used = await redeemCode(backend, { email, code }, where);
    if (typeof used !== 'string') return stay(used);
    forgetMailed(place);
    return used;
  }
  const wait = before === undefined ? 0 : pauseLeft({ at: before });
  if (wait > 0) {
    const sentence = accounts.problems.mailSoon(wait);
    // Somebody who went back and asked anew has a mail under way: the form for its code is what they need.
    return act === 'again'
      ? stay(refusal('rate_limited', { retryAfter: wait, sentence }))
      : codePath(where.way, where.next);
  }
  const refused = await WAYS[where.way].ask(backend, email, where.next);
  if (refused) return stay(refused);
  noteMailed(place, where.way, email);
  return codePath(where.way, where.next);
}

async function redeemCode(
  backend: Backend,
  { email, code }: { email: string; code: string },
  { way, next }: Where,
): Promise<string | Refusal> {
  const outcome = await redeem(backend, { type: WAYS[way].type, email, token: code });
  // Only a change of address takes two codes.
  if (outcome === 'half') return refusal('internal');
  if ('refusal' in outcome) return outcome.refusal;
  const chosen = way === 'follow' ? readChosen(next) : null;
  if (chosen) return beginChosen(backend, chosen);
  return way === 'recovery' ? CHOOSE_PASSWORD : (next ?? afterSignIn(outcome.person.role));
}
