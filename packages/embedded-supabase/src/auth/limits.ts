import type { Config, MailKind } from '../config.ts';
import {
  type Attempt,
  clientNetwork,
  combineLimits,
  createSlidingWindowLimit,
  createTokenBuckets,
} from '../gateway/rate-limits.ts';
import { type AuthError, overEmailSendRateLimit, overRequestRateLimit } from './errors.ts';

/** All requests of one client network. */
const REQUESTS = { capacity: 300, perSecond: 30 };
/**
 * Wrong passwords or codes for one account from one client network. An account is never locked as a whole, because
 * any stranger could lock it then.
 */
const FAILURES = { max: 10, windowMs: 15 * 60_000 };
/** Passwords that one client network tries, for any account. Checking one takes this process about 80 ms. */
const PASSWORDS = { capacity: 60, perSecond: 1 };
/** Sign-ups of one client network. A carrier may put a whole town behind one address. */
const SIGN_UPS = { capacity: 30, perSecond: 1 / 60 };
const HOUR_MS = 3_600_000;
/** Mails that one client network requests for one account. `max_frequency` also limits mails of the same kind. */
const MAILS = { max: 5, windowMs: HOUR_MS };
/** Mails requested by one client network, for any account: a recipient may not have requested them. */
const NETWORK_MAILS = { max: 30, windowMs: HOUR_MS };
/** Maximum length of an account's address, in characters. The keys of the counters truncate longer ones. */
const MAX_ACCOUNT_LENGTH = 254;

type Address = string | undefined;

export type AuthLimits = ReturnType<typeof openAuthLimits>;

const UNLIMITED: Attempt = { waitS: 0, succeed() {} };

/**
 * Creates the rate limits of the auth service per client network. Each limit throws an AuthError. Calls without an
 * address come from the website's own server and have no limit. The counters are in memory, so a restart resets them.
 * @param now a monotonic clock, in milliseconds
 */
export function openAuthLimits({ auth }: Config, now?: () => number) {
  const requests = createTokenBuckets(REQUESTS, now);
  const signUps = createTokenBuckets(SIGN_UPS, now);
  const passwords = createTokenBuckets(PASSWORDS, now);
  const wrongPasswords = createSlidingWindowLimit(FAILURES, now);
  const wrongCodes = createSlidingWindowLimit(FAILURES, now);
  const mailsOfKind = createSlidingWindowLimit({ max: 1, windowMs: auth.email.maxFrequency * 1000 }, now);
  const mails = createSlidingWindowLimit(MAILS, now);
  const networkMails = createSlidingWindowLimit(NETWORK_MAILS, now);

  return {
    takeRequest: (address: Address) =>
      address && throwIfLimited(requests.take(clientNetwork(address)), overRequestRateLimit),
    takeSignUp: (address: Address) =>
      address && throwIfLimited(signUps.take(clientNetwork(address)), overRequestRateLimit),
    /** Counts the attempt as a failure until `succeed` is called. */
    beginPasswordAttempt(account: string, address: Address): Attempt {
      if (!address) return UNLIMITED;
      throwIfLimited(passwords.take(clientNetwork(address)), overRequestRateLimit);
      return requireAllowed(wrongPasswords.begin(accountKey(account, address)));
    },
    /** Counts the attempt as a failure until `succeed` is called. */
    beginCodeAttempt(account: string, address: Address): Attempt {
      return address ? requireAllowed(wrongCodes.begin(accountKey(account, address))) : UNLIMITED;
    },
    /** Counts the same whether or not the account exists. */
    takeMail(kind: MailKind, account: string, address: Address): void {
      if (!address) return;
      const key = accountKey(account, address);
      const limits = [
        mailsOfKind.begin(`${kind}\n${key}`),
        mails.begin(key),
        networkMails.begin(clientNetwork(address)),
      ];
      throwIfLimited(combineLimits(limits).waitS, overEmailSendRateLimit);
    },
  };
}

const accountKey = (account: string, address: string) =>
  `${account.slice(0, MAX_ACCOUNT_LENGTH)}\n${clientNetwork(address)}`;

function requireAllowed(attempt: Attempt): Attempt {
  throwIfLimited(attempt.waitS, overRequestRateLimit);
  return attempt;
}

function throwIfLimited(seconds: number, refusal: (seconds: number) => AuthError): void {
  if (seconds > 0) throw refusal(seconds);
}
