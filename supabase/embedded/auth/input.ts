import type { HonoRequest } from 'hono';
import { checkEmail } from './email.ts';
import { AuthRefused } from './refused.ts';

/** A body, once it is known to be an object. */
export type Values = Record<string, unknown>;

/**
 * The values of a body. PostgreSQL takes no NUL and no half of a character in a text, so there is none in them.
 * @throws AuthRefused
 */
export async function readValues(request: HonoRequest): Promise<Values> {
  let body: unknown;
  try {
    body = JSON.parse(await request.text(), (key, value: unknown) => {
      if (!isKeepable(key) || !isKeepable(value)) throw new Error('cannot be kept');
      return value;
    });
  } catch {
    // Neither JSON nor anything that could be kept; or so deep that it cannot be read.
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Values;
  throw new AuthRefused(400, 'bad_json', 'Could not parse request body as JSON');
}

const isKeepable = (value: unknown) =>
  typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'));

/** A text of a body; undefined where there is none or an empty one. @throws AuthRefused for what is no text */
export function readText(body: Values, name: string): string | undefined {
  const value = body[name] ?? '';
  if (typeof value !== 'string') throw wrongType(name, 'a text');
  return value || undefined;
}

/** @throws AuthRefused for what is neither true nor false */
export function readFlag(body: Values, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value !== 'boolean') throw wrongType(name, 'true or false');
  return value;
}

/** @throws AuthRefused for what is no object */
export function readObject(body: Values, name: string): Values | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw wrongType(name, 'an object');
  return value as Values;
}

/** An address of a body, as accounts keep it; undefined where there is none. @throws AuthRefused */
export function readEmail(body: Values, name: string): string | undefined {
  const email = readText(body, name)?.trim().toLowerCase();
  if (email) checkEmail(email);
  return email;
}

const wrongType = (name: string, kind: string) =>
  new AuthRefused(400, 'bad_json', `${name} must be ${kind}.`);
