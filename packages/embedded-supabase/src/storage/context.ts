import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { bearerToken, requestAddress, SERVER_TOKEN } from '../gateway/client-address.ts';
import { type GatewayContext, KEY_CLAIMS, type RequestVariables } from '../gateway/context.ts';
import { nestsTooDeep } from '../gateway/json-body.ts';
import { gatewayError } from '../gateway/responses.ts';
import { keyHolder } from '../keys.ts';
import type { StorageCaller } from './as-caller.ts';
import { invalidRequest } from './errors.ts';
import { readTarget } from './names.ts';

/** Paths that need no API key: public and signed URLs. */
const OPEN = /^\/storage\/v1\/(object\/((info\/)?public|(upload\/)?sign)|render\/image\/(public|sign))\//;

/**
 * Requires an API key, a token instead of it (for resumable uploads), or a signed or public URL. The token and the
 * rights are checked later.
 */
export const admit = ({ keys }: Pick<GatewayContext, 'keys'>) =>
  createMiddleware<RequestVariables>(async (c, next) => {
    const key = c.req.header('apikey');
    const bearer = bearerToken(c.req.header('authorization'));
    const shown = key ?? bearer;
    const holder = shown === undefined ? undefined : keyHolder(keys, shown);
    const open = OPEN.test(c.req.path) && c.req.method !== 'POST';
    if (key !== undefined && !holder && !open) {
      return gatewayError('Invalid API key', 'Double check your Supabase `apikey`.');
    }
    if (shown === undefined && !open) {
      return gatewayError('No API key found in request', 'No `apikey` request header was found.');
    }
    c.set('keyHolder', holder ?? 'everybody');
    c.set('token', bearer !== undefined && keyHolder(keys, bearer) ? undefined : bearer);
    c.set('address', requestAddress(c, keys));
    return next();
  });

/**
 * Who asks, for policies.
 * @throws TokenRefused
 */
export async function callerOf(
  c: Context<RequestVariables>,
  { tokens }: Pick<GatewayContext, 'tokens'>,
  operation: string,
): Promise<StorageCaller> {
  const token = c.get('token');
  const claims = token ? await tokens.verify(token) : KEY_CLAIMS[c.get('keyHolder')];
  const { method, path } = c.req;
  const { [SERVER_TOKEN]: _, ...requestHeaders } = c.req.header();
  return {
    claims,
    operation,
    http: { method, path, readOnly: false, requestHeaders },
  };
}

/** The bucket and the object that the address names behind a route. @param route as `/object/public/` */
export const targetOf = (c: Context<RequestVariables>, route: string) =>
  readTarget(new URL(c.req.url).pathname.slice('/storage/v1'.length + route.length));

/** Whether what is put there may take the place of another object. */
export const wantsUpsert = (c: Context<RequestVariables>) => c.req.header('x-upsert') === 'true';

/** The JSON object of a body. @throws StorageError if the body is something else */
export async function readJson(c: Context<RequestVariables>): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (isObject(body)) return body;
  throw invalidRequest('The body must be a JSON object.');
}

/** Metadata of a file as JSON. @returns undefined if it is not an object, or nested too deeply */
export function parseMetadata(json: string): Record<string, unknown> | undefined {
  if (nestsTooDeep(Buffer.from(json))) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text of a body. @throws StorageError */
export function readString(body: Record<string, unknown>, key: string): string {
  const value = body[key];
  if (typeof value === 'string') return value;
  throw invalidRequest(`body must have the property '${key}', a string`);
}

/** A whole number of a body, within bounds; what is more counts as the most. @throws StorageError */
export function readWhole(
  body: Record<string, unknown>,
  key: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number {
  const value = body[key] ?? otherwise;
  if (Number.isInteger(value) && Number(value) >= least) return Math.min(Number(value), most);
  throw invalidRequest(`body/${key} must be a whole number from ${least}`);
}
