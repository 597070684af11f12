import type { HonoRequest } from 'hono';
import { AuthError, validationFailed } from './errors.ts';
import type { UserData } from './users.ts';

/** Octets of an address, RFC 5321, section 4.5.3.1.3, without its brackets. */
const LONGEST = 254;

/** The rule of `<input type="email">`. It allows nothing that could break the header of a mail. */
const ADDRESS =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * @param email in lower case
 * @throws AuthError
 */
export function checkEmail(email: string): void {
  if (email.length > LONGEST || !ADDRESS.test(email)) {
    throw validationFailed('Unable to validate email address: invalid format');
  }
}

/** A body, once it is known to be an object. */
export type Values = Record<string, unknown>;

/**
 * Reads a JSON object. NUL and lone surrogates, which PostgreSQL cannot store, are rejected. @throws AuthError
 */
export async function readValues(request: HonoRequest): Promise<Values> {
  let body: unknown;
  try {
    body = JSON.parse(await request.text(), (key, value: unknown) => {
      if (!isKeepable(key) || !isKeepable(value)) throw new Error('cannot be kept');
      return value;
    });
  } catch {
    // Not JSON, or with characters that the database cannot store.
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Values;
  throw new AuthError(400, 'bad_json', 'Could not parse request body as JSON');
}

const isKeepable = (value: unknown) =>
  typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'));

/** A text of a body; undefined where there is none or an empty one. @throws AuthError for what is no text */
export function readOptionalString(body: Values, name: string): string | undefined {
  const value = body[name] ?? '';
  if (typeof value !== 'string') throw wrongType(name, 'a text');
  return value || undefined;
}

/** @throws AuthError for what is neither true nor false */
export function readFlag(body: Values, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value !== 'boolean') throw wrongType(name, 'true or false');
  return value;
}

/** @throws AuthError for what is no object */
export function readOptionalObject(body: Values, name: string): Values | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(name, 'an object');
  return value as Values;
}

/** An address of a body, as accounts keep it; undefined where there is none. @throws AuthError */
export function readEmail(body: Values, name: string): string | undefined {
  const email = readOptionalString(body, name)?.trim().toLowerCase();
  if (email) checkEmail(email);
  return email;
}

const wrongType = (name: string, kind: string) => new AuthError(400, 'bad_json', `${name} must be ${kind}.`);

/** In bytes of JSON. Every token and cookie of the account contains it, and anyone can create an account. */
const MOST = 2048;

/** @throws AuthError for more than people may hang on an account */
export function checkUserData(data: UserData): void {
  if (Buffer.byteLength(JSON.stringify(data)) > MOST) {
    throw validationFailed(`User data cannot be longer than ${MOST} bytes`);
  }
}

export type AuthBody = Awaited<ReturnType<typeof readBody>>;

/** Reads the fields of a request; missing ones are '' or undefined. @throws AuthError for invalid values */
export async function readBody(request: HonoRequest) {
  const body = await readValues(request);
  const text = (name: string) => readOptionalString(body, name) ?? '';
  const data = readOptionalObject(body, 'data');
  if (data) checkUserData(data);
  return {
    email: text('email').trim().toLowerCase(),
    /** Undefined is not the same as empty. */
    password: body.password === '' ? '' : readOptionalString(body, 'password'),
    currentPassword: text('current_password'),
    type: text('type'),
    // A code is shown in groups, and copied with what stands between them.
    token: text('token').replaceAll(/[\s-]/g, ''),
    tokenHash: text('token_hash'),
    refreshToken: text('refresh_token'),
    data,
    createUser: body.create_user !== false,
  };
}
