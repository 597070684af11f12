import type { HonoRequest } from 'hono';
import { AuthError, validationFailed } from './errors.ts';
import type { UserData } from './users.ts';

/** Maximum length of an address in octets, without its angle brackets: RFC 5321, section 4.5.3.1.3. */
const MAX_EMAIL_LENGTH = 254;

/** The rule of `<input type="email">`. It allows no character that could break a mail header. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * @param email in lower case
 * @throws AuthError
 */
export function checkEmail(email: string): void {
  if (email.length > MAX_EMAIL_LENGTH || !EMAIL.test(email)) {
    throw validationFailed('Unable to validate email address: invalid format');
  }
}

/** A request body that is a JSON object. */
export type JsonObject = Record<string, unknown>;

/**
 * Reads a JSON object from a request. Rejects NUL and lone surrogates, which PostgreSQL cannot store.
 * @throws AuthError
 */
export async function readJsonBody(request: HonoRequest): Promise<JsonObject> {
  let body: unknown;
  try {
    body = JSON.parse(await request.text(), (key, value: unknown) => {
      if (!isStorable(key) || !isStorable(value)) throw new Error('cannot be kept');
      return value;
    });
  } catch {
    // Not JSON, or with characters that the database cannot store.
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject;
  throw new AuthError(400, 'bad_json', 'Could not parse request body as JSON');
}

const isStorable = (value: unknown) =>
  typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'));

/** Reads a string of a body. Returns undefined if it is missing or empty. @throws AuthError for other types */
export function readOptionalString(body: JsonObject, name: string): string | undefined {
  const value = body[name] ?? '';
  if (typeof value !== 'string') throw wrongType(name, 'a text');
  return value || undefined;
}

/** Reads a boolean of a body, false if it is missing. @throws AuthError for other types */
export function readBoolean(body: JsonObject, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value !== 'boolean') throw wrongType(name, 'true or false');
  return value;
}

/** Reads an object of a body. Returns undefined if it is missing. @throws AuthError for other types */
export function readOptionalObject(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(name, 'an object');
  return value as JsonObject;
}

/** Reads an address of a body, trimmed and in lower case. Returns undefined if it is missing. @throws AuthError */
export function readEmail(body: JsonObject, name: string): string | undefined {
  const email = readOptionalString(body, name)?.trim().toLowerCase();
  if (email) checkEmail(email);
  return email;
}

const wrongType = (name: string, kind: string) => new AuthError(400, 'bad_json', `${name} must be ${kind}.`);

/**
 * Maximum size of user data, in bytes of JSON. Every token and cookie of the account contains the data, and anyone can
 * create an account.
 */
const MAX_USER_DATA_BYTES = 2048;

/** @throws AuthError if the data is too large */
export function checkUserData(data: UserData): void {
  if (Buffer.byteLength(JSON.stringify(data)) > MAX_USER_DATA_BYTES) {
    throw validationFailed(`User data cannot be longer than ${MAX_USER_DATA_BYTES} bytes`);
  }
}

export type AuthBody = Awaited<ReturnType<typeof readAuthBody>>;

/** Reads the fields of a request; missing ones are '' or undefined. @throws AuthError for invalid values */
export async function readAuthBody(request: HonoRequest) {
  const body = await readJsonBody(request);
  const text = (name: string) => readOptionalString(body, name) ?? '';
  const data = readOptionalObject(body, 'data');
  if (data) checkUserData(data);
  return {
    email: text('email').trim().toLowerCase(),
    /** Phones are refused, so the number is not checked. */
    phone: text('phone'),
    /** Undefined if it is missing. An empty password stays '', so that it is rejected and not ignored. */
    password: body.password === '' ? '' : readOptionalString(body, 'password'),
    currentPassword: text('current_password'),
    type: text('type'),
    // A mail may show the code in groups, so a copied code may contain the spaces or hyphens between them.
    token: text('token').replaceAll(/[\s-]/g, ''),
    tokenHash: text('token_hash'),
    refreshToken: text('refresh_token'),
    authCode: text('auth_code'),
    codeVerifier: text('code_verifier'),
    data,
    /** Only the server may set these data. */
    appData: readOptionalObject(body, 'app_metadata'),
    createUser: body.create_user !== false,
  };
}
