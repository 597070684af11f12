import { createHash } from 'node:crypto';
import { validate as isUuid } from 'uuid';
import type { House } from '../../house.ts';
import { readFlag, type Values } from '../input.ts';
import { voidTokens } from '../one-time-tokens.ts';
import { checkPassword, hashPassword } from '../passwords.ts';
import { AuthRefused, emailExists, invalid } from '../refused.ts';
import { endSessions } from '../sessions.ts';
import { authOf, type Db, json, now } from '../tables.ts';
import { createUser, findUser, giveAddress, mergeData, type User, updateUser } from '../users.ts';
import { readAttributes } from './attributes.ts';
import { ban } from './bans.ts';

/** Makes an account in the server's name; no mail is sent. @throws AuthRefused */
export async function makeAccount(house: House, body: Values): Promise<User> {
  const { id, email, password, passwordHash, confirmed, banMs, data, appData } = readAttributes(body);
  if (!email) throw invalid('An account needs an e-mail address.');
  if (password) checkPassword(house, password, email);
  const hash = password ? await hashPassword(password) : passwordHash;
  return house.lite.db.transaction().execute(async (db) => {
    const user = await createUser(db, { id, email, passwordHash: hash, confirmed, data, appData });
    if (!user) throw await taken(db, id);
    if (banMs) await ban(db, user.id, banMs);
    return findAccount(db, user.id);
  });
}

async function taken(db: Db, id: string | undefined): Promise<AuthRefused> {
  if (!id || !(await findUser(db, { id }))) return emailExists();
  return new AuthRefused(422, 'user_already_exists', 'There is an account with this id.');
}

/** Changes an account in the server's name, all that is asked or nothing; no mail is sent. @throws AuthRefused */
export async function changeAccount(house: House, id: string, body: Values): Promise<User> {
  const { email, password, passwordHash, confirmed, banMs, data, appData } = readAttributes(body);
  const known = await findAccount(house.lite.db, id);
  if (password) checkPassword(house, password, email ?? known.email ?? '');
  const hash = password ? await hashPassword(password) : passwordHash;
  return house.lite.db.transaction().execute(async (db) => {
    const user = await findAccount(db, id, { lock: true });
    const moves = email !== undefined && email !== user.email;
    if (moves || confirmed) await move(db, user, email ?? user.email ?? '', confirmed);
    if (hash) {
      await updateUser(db, id, { encrypted_password: hash });
      // Whoever knew the old one may be signed in.
      await endSessions(db, id);
    }
    // A link that was sent before proves an address, or stands for a password, that is no longer the account's.
    if (moves || hash) await voidTokens(db, id);
    if (data || appData) await addData(db, id, data, appData);
    if (banMs !== undefined) await ban(db, id, banMs);
    return findAccount(db, id);
  });
}

async function move(db: Db, user: User, email: string, confirmed: boolean): Promise<void> {
  await giveAddress(db, user, email, confirmed || user.email_confirmed_at !== null);
  if (email !== user.email) await updateUser(db, user.id, { email_change: null });
}

async function addData(db: Db, id: string, data: Values = {}, appData: Values = {}): Promise<void> {
  const user = await findAccount(db, id);
  await updateUser(db, id, {
    raw_user_meta_data: json(mergeData(user.raw_user_meta_data, data)),
    raw_app_meta_data: json(mergeData(user.raw_app_meta_data, appData)),
  });
}

/**
 * Removes an account with its sessions and tokens: with its row, or with all that was in it (`should_soft_delete`).
 * What the person wrote is the product's to keep.
 * @throws AuthRefused
 */
export async function deleteAccount({ lite }: House, id: string, body: Values): Promise<void> {
  const keepsRow = readFlag(body, 'should_soft_delete');
  await lite.db.transaction().execute(async (db) => {
    const user = await findAccount(db, id, { lock: true });
    if (keepsRow) await empty(db, user);
    else await authOf(db).deleteFrom('users').where('id', '=', id).execute();
  });
}

async function empty(db: Db, { id, email, deleted_at }: User): Promise<void> {
  if (deleted_at) return;
  await endSessions(db, id);
  await voidTokens(db, id);
  await authOf(db).deleteFrom('identities').where('user_id', '=', id).execute();
  await updateUser(db, id, {
    deleted_at: now,
    // No address, so that nobody signs in by it and somebody else may have it.
    email: createHash('sha256').update(`${id}${email}`).digest('hex'),
    email_change: null,
    encrypted_password: null,
    raw_user_meta_data: json({}),
    raw_app_meta_data: json({}),
  });
}

/** @throws AuthRefused for an id that is none, or nobody's */
export async function findAccount(db: Db, id: string, how?: { lock: boolean }): Promise<User> {
  const user = isUuid(id) ? await findUser(db, { id }, how) : undefined;
  if (!user) throw userNotFound();
  return user;
}

const userNotFound = () => new AuthRefused(404, 'user_not_found', 'User not found');
