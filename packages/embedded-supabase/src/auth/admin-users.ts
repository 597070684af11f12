import { hash } from 'node:crypto';
import { getRounds } from 'bcryptjs';
import { sql } from 'kysely';
import { validate as isUuid, NIL } from 'uuid';
import { parseGoDuration } from '../config.ts';
import type { GatewayContext } from '../gateway/context.ts';
import { AuthError, emailExists, phoneDisabled, validationFailed } from './errors.ts';
import { type JsonObject, readBoolean, readEmail, readOptionalObject, readOptionalString } from './input.ts';
import { deleteTokens } from './one-time-tokens.ts';
import { endSessions } from './sessions.ts';
import { authSchema, type Db, jsonParameter, sqlNow } from './tables.ts';
import {
  attachIdentities,
  checkPasswordPolicy,
  createUser,
  findUser,
  hashPassword,
  mergeMetadata,
  setEmail,
  type User,
  updateUser,
} from './users.ts';

/** Longest duration in Go, which counts nanoseconds in 64 bits: about 292 years. */
const MAX_DURATION_MS = 2 ** 63 / 1e6;

/**
 * Parses the duration of a ban as GoTrue does: a duration in Go's format (`24h`, `1h30m`), or `none`.
 * @returns milliseconds, 0 for `none`; undefined for a negative, too long or malformed duration
 */
export function parseBanDuration(text: string): number | undefined {
  const ms = text === 'none' || text === '0' ? 0 : parseGoDuration(text);
  return ms === undefined || ms > MAX_DURATION_MS ? undefined : ms;
}

/** Maximum bcrypt cost factor. Each round doubles the cost of a sign-in. A higher cost would block other requests. */
const MAX_ROUNDS = 14;

/**
 * Reads the attributes of an account under GoTrue's names. Undefined leaves an attribute unchanged.
 * @throws AuthError
 */
function readAttributes(body: JsonObject) {
  if (readOptionalString(body, 'phone')) {
    throw phoneDisabled('Accounts have an e-mail address and no phone.');
  }
  for (const name of ['aud', 'role']) {
    if ((readOptionalString(body, name) ?? 'authenticated') !== 'authenticated') {
      throw validationFailed(`${name} can only be authenticated.`);
    }
  }
  const password = readOptionalString(body, 'password');
  const passwordHash = readHash(readOptionalString(body, 'password_hash'));
  if (password && passwordHash) throw validationFailed('Give either a password or the hash of one.');
  return {
    id: readId(readOptionalString(body, 'id')),
    email: readEmail(body, 'email'),
    password,
    passwordHash,
    confirmed: readBoolean(body, 'email_confirm'),
    /** 0 lifts a ban. */
    banMs: readBan(readOptionalString(body, 'ban_duration')),
    data: readOptionalObject(body, 'user_metadata'),
    appData: readOptionalObject(body, 'app_metadata'),
  };
}

function readId(id: string | undefined): string | undefined {
  if (id && (!isUuid(id) || id === NIL)) throw validationFailed('id must be a UUID.');
  return id?.toLowerCase();
}

function readHash(passwordHash: string | undefined): string | undefined {
  if (
    passwordHash &&
    !(/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(passwordHash) && getRounds(passwordHash) <= MAX_ROUNDS)
  ) {
    throw validationFailed(`password_hash must be one of bcrypt, of at most ${MAX_ROUNDS} rounds.`);
  }
  return passwordHash;
}

function readBan(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const ms = parseBanDuration(duration);
  if (ms === undefined) throw validationFailed('ban_duration must be a time such as 24h, or none.');
  return ms;
}

/**
 * Bans an account for `ms` milliseconds from now on and ends its sessions. 0 lifts the ban.
 * @param db a transaction
 */
async function ban(db: Db, userId: string, ms: number): Promise<void> {
  const until = sql<string>`now() + make_interval(secs => ${ms / 1000}::double precision)`;
  await updateUser(db, userId, { banned_until: ms > 0 ? until : null });
  if (ms > 0) await endSessions(db, userId);
}

/** Creates an account with the rights of the server. Sends no mail. @throws AuthError */
export async function adminCreateUser(context: GatewayContext, body: JsonObject): Promise<User> {
  const { id, email, password, passwordHash, confirmed, banMs, data, appData } = readAttributes(body);
  if (!email) throw validationFailed('An account needs an e-mail address.');
  if (password) checkPasswordPolicy(context, password, email);
  const newHash = password ? await hashPassword(password) : passwordHash;
  return context.restApi.db.transaction().execute(async (db) => {
    const user = await createUser(db, { id, email, passwordHash: newHash, confirmed, data, appData });
    if (!user) throw await duplicateError(db, id);
    if (banMs) await ban(db, user.id, banMs);
    return requireUser(db, user.id);
  });
}

async function duplicateError(db: Db, id: string | undefined): Promise<AuthError> {
  if (!id || !(await findUser(db, { id }))) return emailExists();
  return new AuthError(422, 'user_already_exists', 'There is an account with this id.');
}

/** Changes an account with the rights of the server, all attributes or none. Sends no mail. @throws AuthError */
export async function adminUpdateUser(context: GatewayContext, id: string, body: JsonObject): Promise<User> {
  const { email, password, passwordHash, confirmed, banMs, data, appData } = readAttributes(body);
  const existing = await requireUser(context.restApi.db, id);
  if (password) checkPasswordPolicy(context, password, email ?? existing.email ?? '');
  const newHash = password ? await hashPassword(password) : passwordHash;
  return context.restApi.db.transaction().execute(async (db) => {
    const user = await requireUser(db, id, { lock: true });
    const isAddressChanged = email !== undefined && email !== user.email;
    if (isAddressChanged || confirmed) await changeAddress(db, user, email ?? user.email ?? '', confirmed);
    if (newHash) {
      await updateUser(db, id, { encrypted_password: newHash });
      // Sessions may belong to a person who knew the old password.
      await endSessions(db, id);
    }
    // Earlier links prove an old address, or were requested to replace the old password.
    if (isAddressChanged || newHash) await deleteTokens(db, id);
    if (data || appData) await updateMetadata(db, id, data, appData);
    if (banMs !== undefined) await ban(db, id, banMs);
    return requireUser(db, id);
  });
}

async function changeAddress(db: Db, user: User, email: string, confirmed: boolean): Promise<void> {
  await setEmail(db, user, email, confirmed || user.email_confirmed_at !== null);
  if (email !== user.email) await updateUser(db, user.id, { email_change: null });
}

async function updateMetadata(
  db: Db,
  id: string,
  data: JsonObject = {},
  appData: JsonObject = {},
): Promise<void> {
  const user = await requireUser(db, id);
  await updateUser(db, id, {
    raw_user_meta_data: jsonParameter(mergeMetadata(user.raw_user_meta_data, data)),
    raw_app_meta_data: jsonParameter(mergeMetadata(user.raw_app_meta_data, appData)),
  });
}

/**
 * Deletes an account with its sessions and tokens. With `should_soft_delete`, its row stays without content.
 * @throws AuthError
 */
export async function adminDeleteUser(
  { restApi }: GatewayContext,
  id: string,
  body: JsonObject,
): Promise<void> {
  const keepsRow = readBoolean(body, 'should_soft_delete');
  await restApi.db.transaction().execute(async (db) => {
    const user = await requireUser(db, id, { lock: true });
    if (keepsRow) await eraseContent(db, user);
    else await authSchema(db).deleteFrom('users').where('id', '=', id).execute();
  });
}

async function eraseContent(db: Db, { id, email, deleted_at }: User): Promise<void> {
  if (deleted_at) return;
  await endSessions(db, id);
  await deleteTokens(db, id);
  await authSchema(db).deleteFrom('identities').where('user_id', '=', id).execute();
  await updateUser(db, id, {
    deleted_at: sqlNow,
    // Without an address the account cannot sign in, and another account may use the address.
    email: hash('sha256', `${id}${email}`),
    email_change: null,
    encrypted_password: null,
    raw_user_meta_data: jsonParameter({}),
    raw_app_meta_data: jsonParameter({}),
  });
}

/** @throws AuthError for an invalid or unknown id */
export async function requireUser(db: Db, id: string, options?: { lock: boolean }): Promise<User> {
  if (!isUuid(id)) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID');
  const user = await findUser(db, { id }, options);
  if (!user) throw new AuthError(404, 'user_not_found', 'User not found');
  return user;
}

/** GoTrue's default, and the maximum. */
const PER_PAGE = { usual: 50, most: 1000 };

type Page = {
  /** From 1. */
  page: number;
  perPage: number;
};

/** @throws AuthError for an invalid page number or page size */
export function readPagination(page: string | undefined, perPage: string | undefined): Page {
  return {
    page: readPositiveInteger(page, 'page') ?? 1,
    perPage: Math.min(readPositiveInteger(perPage, 'per_page') ?? PER_PAGE.usual, PER_PAGE.most),
  };
}

function readPositiveInteger(text: string | undefined, name: string): number | undefined {
  if (!text) return undefined;
  // Limited to nine digits, so that the offset, page times page size, is not too large for PostgreSQL.
  if (!/^[1-9]\d{0,8}$/.test(text)) throw validationFailed(`${name} must be a whole number from 1.`);
  return Number(text);
}

/** @param sort `created_at`, with `asc` or `desc`. GoTrue sorts by no other column. @throws AuthError */
export function readSort(sort: string | undefined): 'asc' | 'desc' {
  if (sort === undefined) return 'desc';
  const [column, direction = 'desc'] = sort.split(/ (.*)/s);
  const lowerCase = direction.toLowerCase();
  if (column === 'created_at' && (lowerCase === 'asc' || lowerCase === 'desc')) return lowerCase;
  throw validationFailed('Bad Sort Parameters: sort must be created_at asc or created_at desc.');
}

/**
 * Returns one page of accounts, and the number of all of them.
 * @param filter part of the addresses or, ignoring case, of the names (`full_name`) to list
 */
export async function listUsers(
  db: Db,
  { page, perPage }: Page,
  { sort = 'desc', filter }: { sort?: 'asc' | 'desc'; filter?: string } = {},
): Promise<{ users: User[]; total: number }> {
  const pattern = `%${filter}%`;
  const users = authSchema(db)
    .selectFrom('users')
    .$if(Boolean(filter), (query) =>
      query.where(sql<boolean>`(email like ${pattern} or raw_user_meta_data->>'full_name' ilike ${pattern})`),
    );
  const { total } = await users.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow();
  const rows = await users
    .selectAll()
    .orderBy('created_at', sort)
    .orderBy('id')
    .offset((page - 1) * perPage)
    .limit(perPage)
    .execute();
  return { users: await attachIdentities(db, rows), total };
}

/**
 * Returns the Link header with the next and the last page (RFC 8288).
 * @param url URL of the current page
 */
export function paginationLinks(url: string, { page, perPage }: Page, total: number): string {
  const last = Math.max(1, Math.ceil(total / perPage));
  const { pathname } = new URL(url);
  const link = (pageNumber: number, rel: string) =>
    `<${pathname}?page=${pageNumber}&per_page=${perPage}>; rel="${rel}"`;
  return [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', ');
}
