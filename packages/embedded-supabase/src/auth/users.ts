import { randomUUID } from 'node:crypto';
import { compare, hash } from 'bcryptjs';
import type { Selectable, UpdateObject } from 'kysely';
import { isDatabaseError, markUnavailable } from '../engine/errors.ts';
import { currentWorkContext } from '../engine/work.ts';
import { FairSemaphore } from '../fair-semaphore.ts';
import type { GatewayContext } from '../gateway/context.ts';
import { AuthError, emailExists, validationFailed } from './errors.ts';
import { type AuthTables, authSchema, type Db, jsonParameter, sqlNow } from './tables.ts';

export type User = Selectable<AuthTables['users']> & { identities: Selectable<AuthTables['identities']>[] };

/** Metadata of an account. The person may change it, so it must not be trusted. */
export type UserData = Record<string, unknown>;

type UserKey = { id: string } | { email: string };

/**
 * @param key an e-mail address in lower case
 * @param options `lock` holds the row until the transaction ends
 */
export async function findUser(
  db: Db,
  key: UserKey,
  options: { lock?: boolean } = {},
): Promise<User | undefined> {
  const users = authSchema(db)
    .selectFrom('users')
    .selectAll()
    .$if(options.lock ?? false, (query) => query.forUpdate());
  const query =
    'id' in key
      ? users.where('id', '=', key.id)
      : users.where('email', '=', key.email).where('is_sso_user', '=', false);
  const [user] = await attachIdentities(db, await query.execute());
  return user;
}

/** Returns whether an address has an account, by one query for every address. */
export async function hasAccount(db: Db, email: string): Promise<boolean> {
  const users = authSchema(db).selectFrom('users').select('id');
  const user = await users.where('email', '=', email).where('is_sso_user', '=', false).executeTakeFirst();
  return user !== undefined;
}

/** Adds the identities to rows of accounts, and keeps the order of the rows. */
export async function attachIdentities(db: Db, rows: Selectable<AuthTables['users']>[]): Promise<User[]> {
  if (rows.length === 0) return [];
  const identities = await authSchema(db)
    .selectFrom('identities')
    .selectAll()
    .where(
      'user_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('created_at')
    .execute();
  const byUser = Map.groupBy(identities, ({ user_id }) => user_id);
  return rows.map((user) => ({ ...user, identities: byUser.get(user.id) ?? [] }));
}

type NewUser = {
  /** Id from another system. Default: a new UUID. */
  id?: string;
  /** Lower case. */
  email: string;
  /** A hash of `hashPassword`. Without one, the account cannot sign in by password. */
  passwordHash: string | undefined;
  confirmed: boolean;
  data?: UserData;
  appData?: Record<string, unknown>;
  invited?: boolean;
  /** Whether the person signs up. Then the metadata contains the keys of the identity too, as in GoTrue. */
  isSignUp?: boolean;
};

/**
 * Creates an account with its identity.
 * @returns undefined if the address or the given id is in use
 */
export async function createUser(db: Db, account: NewUser): Promise<User | undefined> {
  const id = account.id ?? randomUUID();
  const { data } = account;
  const identityData = account.isSignUp
    ? { ...data, ...systemMetadata(id, account.email, account.confirmed) }
    : systemMetadata(id, account.email, false);
  const metadata = account.isSignUp ? identityData : { ...data, ...(account.confirmed && VERIFIED) };
  const created = await authSchema(db)
    .insertInto('users')
    .values({
      id,
      email: account.email,
      encrypted_password: account.passwordHash ?? null,
      email_confirmed_at: account.confirmed ? sqlNow : null,
      invited_at: account.invited ? sqlNow : null,
      raw_app_meta_data: jsonParameter({ provider: 'email', providers: ['email'], ...account.appData }),
      raw_user_meta_data: jsonParameter(metadata),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!created) return undefined;
  await authSchema(db)
    .insertInto('identities')
    .values({
      id: randomUUID(),
      provider: 'email',
      provider_id: id,
      user_id: id,
      identity_data: jsonParameter(identityData),
      last_sign_in_at: sqlNow,
    })
    .execute();
  return findUser(db, { id });
}

/** The key that GoTrue writes to the metadata of an account whose address is confirmed. */
const VERIFIED = { email_verified: true };

/** Returns the keys that GoTrue itself writes to an identity. */
export const systemMetadata = (id: string, email: string, confirmed: boolean): UserData => ({
  email,
  email_verified: confirmed,
  phone_verified: false,
  sub: id,
});

/** Merges metadata as GoTrue does: new keys replace old ones, null removes a key, other keys stay. */
export const mergeMetadata = (existing: UserData, changes: UserData): UserData =>
  Object.fromEntries(Object.entries({ ...existing, ...changes }).filter(([, value]) => value !== null));

/** Changes columns of an account. @returns its metadata; undefined if there is no such account */
export function updateUser(db: Db, id: string, changes: UpdateObject<AuthTables, 'users'>) {
  return authSchema(db)
    .updateTable('users')
    .set({ ...changes, updated_at: sqlNow })
    .where('id', '=', id)
    .returning('raw_user_meta_data')
    .executeTakeFirst();
}

/**
 * Sets the address of an account. A confirmed account stays confirmed.
 * @param user locked by the transaction
 * @throws AuthError if another account has the address
 */
export async function setEmail(db: Db, user: User, email: string, confirmed: boolean): Promise<void> {
  const addressData = { email, email_verified: confirmed };
  const { raw_user_meta_data: metadata } = user;
  await updateUser(db, user.id, {
    email,
    email_confirmed_at: user.email_confirmed_at ?? (confirmed ? sqlNow : null),
    raw_user_meta_data: jsonParameter({
      ...metadata,
      // Only the metadata of a sign-up contains the address.
      ...('email' in metadata && { email }),
      ...(confirmed && VERIFIED),
    }),
  }).catch(rejectDuplicate);
  for (const identity of user.identities.filter(({ provider }) => provider === 'email')) {
    await authSchema(db)
      .updateTable('identities')
      .set({
        identity_data: jsonParameter({ ...identity.identity_data, ...addressData }),
        updated_at: sqlNow,
      })
      .where('id', '=', identity.id)
      .execute();
  }
}

function rejectDuplicate(error: unknown): never {
  throw isDatabaseError(error) && error.code === '23505' ? emailExists() : error;
}

export const isBanned = ({ banned_until }: User) =>
  banned_until !== null && Date.parse(banned_until) > Date.now();

/** Returns a time as GoTrue writes it: in UTC with `Z`. */
const utc = (time: string | null) =>
  time && (time.endsWith('+00:00') ? time.replace('+00:00', 'Z') : new Date(time).toISOString());

/** Returns an account in GoTrue's format. */
export function userResponse(user: User) {
  return {
    id: user.id,
    aud: user.aud,
    role: user.role,
    email: user.email ?? '',
    phone: user.phone ?? '',
    ...withoutNulls({
      email_confirmed_at: utc(user.email_confirmed_at),
      confirmed_at: utc(user.confirmed_at),
      invited_at: utc(user.invited_at),
      confirmation_sent_at: utc(user.confirmation_sent_at),
      recovery_sent_at: utc(user.recovery_sent_at),
      new_email: user.email_change,
      email_change_sent_at: utc(user.email_change_sent_at),
      last_sign_in_at: utc(user.last_sign_in_at),
      banned_until: utc(user.banned_until),
      deleted_at: utc(user.deleted_at),
    }),
    app_metadata: user.raw_app_meta_data,
    user_metadata: user.raw_user_meta_data,
    identities: user.identities.map((identity) => ({
      identity_id: identity.id,
      id: identity.provider_id,
      user_id: identity.user_id,
      identity_data: identity.identity_data,
      provider: identity.provider,
      ...withoutNulls({ last_sign_in_at: utc(identity.last_sign_in_at), email: identity.email }),
      created_at: utc(identity.created_at),
      updated_at: utc(identity.updated_at),
    })),
    created_at: utc(user.created_at),
    updated_at: utc(user.updated_at),
    is_anonymous: user.is_anonymous,
  };
}

/** Removes null values, as GoTrue does. */
const withoutNulls = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Partial<T>;

/** GoTrue's bcrypt cost factor. A hash takes about 80 ms, in small steps. */
const BCRYPT_COST = 10;

/** One hash at a time, because concurrent hashes block the process until the last one is ready. Clients take turns. */
const hashSemaphore = new FairSemaphore({
  size: 1,
  maxWaitMs: 10_000,
  rejection: () => markUnavailable('Too many passwords are being checked.'),
});

/** Maximum length of a password in bytes. bcrypt ignores any further bytes. */
const MAX_PASSWORD_BYTES = 72;

/** A hash that no password matches. Comparing with it takes as long as with a real one. */
const UNKNOWN_HASH = `$2b$${BCRYPT_COST}$Nobody.has.this.one..7vJ2mQxK5tRbW9cYhLdN3pFgAsEuZiX.`;

export const hashPassword = (password: string): Promise<string> =>
  hashSemaphore.run(currentWorkContext().client, () => hash(password, BCRYPT_COST));

/** Compares a password. Takes the same time if there is no account or the account has no password. */
export async function verifyPassword(
  password: string,
  user: { encrypted_password: string | null } | undefined,
): Promise<boolean> {
  const storedHash = user?.encrypted_password;
  const matches = await hashSemaphore.run(currentWorkContext().client, () =>
    compare(password, storedHash || UNKNOWN_HASH),
  );
  return Boolean(storedHash) && matches;
}

/**
 * Checks the length of a new password, and that it is not the account's address.
 * @param email the account's address, which would be easy to guess
 * @throws AuthError
 */
export function checkPasswordPolicy({ config }: GatewayContext, password: string, email: string): void {
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    throw validationFailed(`Password cannot be longer than ${MAX_PASSWORD_BYTES} characters`);
  }
  const minLength = config.auth.minimumPasswordLength;
  if (password.length < minLength) {
    throw weakPassword(`Password should be at least ${minLength} characters.`, 'length');
  }
  if (password.toLowerCase() === email) {
    throw weakPassword('The password must not be the e-mail address.', 'characters');
  }
}

const weakPassword = (message: string, reason: 'length' | 'characters') =>
  new AuthError(422, 'weak_password', message, { weakness: [reason] });
