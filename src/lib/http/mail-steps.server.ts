import type { APIContext } from 'astro';
import {
  isEmail,
  mailConfirmation,
  mailRecovery,
  readMailCode,
  requestSignInMail,
  submittedEmail,
  verifyToken,
} from '../data/accounts.server.ts';
import type { BackendClient } from '../data/result.ts';
import { RETENTION } from '../domain/retention.ts';
import {
  afterSignIn,
  CHOOSE_PASSWORD,
  CODE_PAGE,
  codePath,
  isMailFlow,
  MAIL_INTERVAL_S,
  type MailFlow,
} from '../domain/sign-in.ts';
import { type Refusal, refusal } from '../i18n/refusals.ts';

/** The last mail that this browser requested. */
type RequestedMail = {
  flow: MailFlow;
  email: string;
  /** Milliseconds since 1970. */
  at: number;
};

type CookieContext = Pick<APIContext, 'cookies' | 'url'>;

const COOKIE = 'stoppress-mailed';
/** Only this page reads the cookie. It keeps the address out of URLs. */
const PATH = CODE_PAGE;
/** As long as a mailed code is valid. */
const REMEMBERED_S = RETENTION.linkMinutes * 60;

/** Remembers in a cookie that a mail was sent, so that a reload does not send another one. */
export function rememberMail({ cookies, url }: CookieContext, flow: MailFlow, email: string): void {
  const mailed: RequestedMail = { flow, email, at: Date.now() };
  cookies.set(COOKIE, JSON.stringify(mailed), {
    path: PATH,
    httpOnly: true,
    sameSite: 'lax',
    secure: url.protocol === 'https:',
    maxAge: REMEMBERED_S,
  });
}

/** The last mail of a flow; null when there is none, or the cookie is malformed. */
function lastMail({ cookies }: CookieContext, flow: MailFlow): RequestedMail | null {
  const cookie = cookies.get(COOKIE);
  if (!cookie) return null;
  try {
    const mailed = cookie.json() as Partial<Record<keyof RequestedMail, unknown>>;
    return isMailed(mailed) && mailed.flow === flow ? mailed : null;
  } catch {
    return null;
  }
}

function isMailed(value: Partial<Record<keyof RequestedMail, unknown>>): value is RequestedMail {
  const { flow, email, at } = value;
  return (
    isMailFlow(flow) &&
    typeof email === 'string' &&
    isEmail(email) &&
    typeof at === 'number' &&
    at <= Date.now()
  );
}

/** Called when the code was used. */
function forgetMail({ cookies }: CookieContext): void {
  cookies.delete(COOKIE, { path: PATH });
}

/** Whole seconds until another mail may be requested; 0 when it may be now. */
export function pauseLeft({ at }: Pick<RequestedMail, 'at'>, now = Date.now()): number {
  return Math.max(0, Math.ceil((at - now) / 1000 + MAIL_INTERVAL_S));
}

/** What the page shows: the form for an address, or the one for the mailed code. */
type MailStep = {
  at: 'address' | 'code';
  email: string;
  /** When the mail was sent, in milliseconds since 1970, if this browser knows it. */
  sentAt?: number;
  refused?: Refusal;
};

type MailPage = { flow: MailFlow; next: string | null };
/** For each flow: the function that sends the mail, and the type of its code. */
const FLOWS = {
  'sign-in': { send: requestSignInMail, type: 'email' },
  'sign-up': { send: mailConfirmation, type: 'email' },
  recovery: { send: mailRecovery, type: 'recovery' },
} as const;

/** The first step of a visit: the code when a mail was just sent, else the address. */
export function mailStep(context: CookieContext, { flow }: Pick<MailPage, 'flow'>): MailStep {
  const mailed = lastMail(context, flow);
  return mailed ? { at: 'code', email: mailed.email, sentAt: mailed.at } : { at: 'address', email: '' };
}

/**
 * Handles a form of the page by the name of its button: `code` uses the typed code, `again` sends another mail, and
 * anything else the first one.
 * @returns the path to redirect to, or the step to show with the reason of the refusal
 */
export async function handleMailForm(
  context: CookieContext,
  form: FormData,
  page: MailPage,
  backend: BackendClient,
): Promise<string | MailStep> {
  const act = form.get('act');
  const email = submittedEmail(form);
  if (!isEmail(email)) {
    const refused = refusal('invalid', {
      field: 'email',
      message: ({ accounts }) => accounts.problems.email,
    });
    return { at: 'address', email, refused };
  }
  const { sentAt, ...last } = mailStep(context, page);
  const before = last.email === email ? sentAt : undefined;
  const stay = (refused: Refusal): MailStep => {
    const at = act === 'code' || act === 'again' ? 'code' : 'address';
    return { at, email, sentAt: before, refused };
  };

  if (act === 'code') {
    const code = readMailCode(form);
    if (!code)
      return stay(refusal('invalid', { field: 'code', message: ({ accounts }) => accounts.problems.code }));
    const used = await redeemCode(backend, { email, code }, page);
    if (typeof used !== 'string') return stay(used);
    forgetMail(context);
    return used;
  }
  const wait = before === undefined ? 0 : pauseLeft({ at: before });
  if (wait > 0) {
    // A person who went back and sent the address again needs the form for the code that is on its way.
    return act === 'again'
      ? stay(
          refusal('rate_limited', {
            retryAfter: wait,
            message: ({ accounts }) => accounts.problems.mailSoon(wait),
          }),
        )
      : codePath(page.flow, page.next);
  }
  const refused = await FLOWS[page.flow].send(backend, email, page.next);
  if (refused) return stay(refused);
  rememberMail(context, page.flow, email);
  return codePath(page.flow, page.next);
}

async function redeemCode(
  backend: BackendClient,
  { email, code }: { email: string; code: string },
  { flow, next }: MailPage,
): Promise<string | Refusal> {
  const outcome = await verifyToken(backend, { type: FLOWS[flow].type, email, token: code });
  // Only a change of address needs two codes.
  if (outcome === 'half') return refusal('internal');
  if ('refusal' in outcome) return outcome.refusal;
  return flow === 'recovery' ? CHOOSE_PASSWORD : (next ?? afterSignIn(outcome.person.role));
}
