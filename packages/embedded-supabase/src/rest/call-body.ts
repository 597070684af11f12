import { isUtf8 } from 'node:buffer';
import { restError } from '../gateway/responses.ts';
import type { Query } from './query-check.ts';
import type { Introspection } from './request-values.ts';

/** Type of the single unnamed argument that takes a whole body, by the body's media type. As in PostgREST. */
const ARGUMENT_TYPES = new Map([
  ['text/plain', 'text'],
  ['text/xml', 'xml'],
  ['application/octet-stream', 'bytea'],
]);

/** The body of a function call that is not parsed: the whole body is one argument. */
export type RawBody = { type: string; bytes: Uint8Array };

/** Reads the body of a function call if its media type is one that is not parsed. */
export async function readRawBody(request: Request): Promise<RawBody | undefined> {
  if (request.method !== 'POST' || !new URL(request.url).pathname.startsWith('/rest/v1/rpc/'))
    return undefined;
  const [mediaType = ''] = (request.headers.get('content-type') ?? '').split(';');
  const type = ARGUMENT_TYPES.get(mediaType.trim().toLowerCase());
  return type === undefined ? undefined : { type, bytes: new Uint8Array(await request.arrayBuffer()) };
}

/**
 * Makes the body of a call its arguments.
 * @param raw the body, if it is not JSON
 * @returns the response to a body that does not fit
 */
export function prepareCall(
  query: Query,
  raw: RawBody | undefined,
  { functions = [] }: Introspection,
): Response | undefined {
  const candidates = functions.filter(
    ({ name, arg_types }) => name === query.function && arg_types.length === 1,
  );
  const takesWhole = (...types: string[]) =>
    candidates.some(({ arg_types, arg_names }) => !arg_names[0] && types.includes(arg_types[0] ?? ''));
  if (!raw) return prepareJson(query, takesWhole('json', 'jsonb'));

  const { type, bytes } = raw;
  const name = `${query.schema ?? 'public'}.${query.function}`;
  if (!takesWhole(type)) {
    const message = `Could not find the function ${name} in the schema cache`;
    const details = `Searched for the function ${name} with a single unnamed ${type} parameter, but no matches were found in the schema cache.`;
    return restError(404, 'PGRST202', message, null, details);
  }
  // lite finds the function of a call without names by the number of its arguments.
  if (candidates.length > 1) {
    const details = `A body of this type for ${name}, because several functions of this name have one argument.`;
    return restError(400, 'PGRST127', 'Feature not implemented', null, details);
  }
  if (type !== 'bytea' && !isUtf8(bytes)) {
    return restError(400, '22021', 'invalid byte sequence for encoding "UTF8"');
  }
  query.args = [type === 'bytea' ? bytes : new TextDecoder().decode(bytes)];
  Object.assign(query, { paramsType: 'positional', inputType: 'text' });
  return undefined;
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Treats JSON that is no object as PostgREST does. @param isWhole the function takes the whole body */
function prepareJson(query: Query, isWhole: boolean): Response | undefined {
  query.args ??= {};
  if (!isRecord(query.args) && !Array.isArray(query.args)) query.args = [];
  if (!Array.isArray(query.args)) return undefined;
  const keys = query.args.map((row: unknown) => isRecord(row) && Object.keys(row).sort().join());
  if (keys.some((rowKeys) => rowKeys === false || rowKeys !== keys[0])) {
    return restError(400, 'PGRST102', 'All object keys must match');
  }
  if (!isWhole) Object.assign(query, { args: query.args[0] ?? {}, paramsType: 'named' });
  return undefined;
}
