import { getRounds } from 'bcryptjs';
import { validate as isUuid, NIL } from 'uuid';
import { readEmail, readFlag, readObject, readText, type Values } from '../input.ts';
import { AuthRefused, invalid } from '../refused.ts';
import { banDuration } from './ban-duration.ts';

/** What the server says of an account that it makes or changes; what it leaves out is undefined. */
type Attributes = {
  id: string | undefined;
  /** Lower case. */
  email: string | undefined;
  password: string | undefined;
  /** bcrypt's, brought from elsewhere. */
  passwordHash: string | undefined;
  /** The address counts as confirmed. */
  confirmed: boolean;
  /** 0 lifts a ban. */
  banMs: number | undefined;
  data: Values | undefined;
  appData: Values | undefined;
};

/** Each round doubles what a sign-in costs: with more than this it would hold up everybody else. */
const MOST_ROUNDS = 14;

/**
 * Reads the body of the calls that make or change an account, under GoTrue's names.
 * @throws AuthRefused
 */
export function readAttributes(body: Values): Attributes {
  if (readText(body, 'phone')) {
    throw new AuthRefused(400, 'phone_provider_disabled', 'Accounts have an e-mail address and no phone.');
  }
  for (const name of ['aud', 'role']) {
    if ((readText(body, name) ?? 'authenticated') !== 'authenticated') {
      throw invalid(`${name} can only be authenticated.`);
    }
  }
  const password = readText(body, 'password');
  const passwordHash = readHash(readText(body, 'password_hash'));
  if (password && passwordHash) throw invalid('Give either a password or the hash of one.');
  return {
    id: readId(readText(body, 'id')),
    email: readEmail(body, 'email'),
    password,
    passwordHash,
    confirmed: readFlag(body, 'email_confirm'),
    banMs: readBan(readText(body, 'ban_duration')),
    data: readObject(body, 'user_metadata'),
    appData: readObject(body, 'app_metadata'),
  };
}

function readId(id: string | undefined): string | undefined {
  if (id && (!isUuid(id) || id === NIL)) throw invalid('id must be a UUID.');
  return id?.toLowerCase();
}

function readHash(hash: string | undefined): string | undefined {
  if (hash && !(/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(hash) && getRounds(hash) <= MOST_ROUNDS)) {
    throw invalid(`password_hash must be one of bcrypt, of at most ${MOST_ROUNDS} rounds.`);
  }
  return hash;
}

function readBan(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const ms = banDuration(duration);
  if (ms === undefined) throw invalid('ban_duration must be a time such as 24h, or none.');
  return ms;
}
