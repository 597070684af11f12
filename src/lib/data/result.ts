import type { SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '../domain/database.types.ts';
import {
  type DataError,
  isErrorCode,
  type Refusal,
  Refused,
  refusal,
  refusalFrom,
  refusalWithDetails,
} from '../i18n/refusals.ts';

/** A Supabase client of our schema, with the permissions of a session, of a visitor or of the service. */
export type BackendClient = SupabaseClient<Database>;

type DatabaseResponse = { data: unknown; error: DataError | null; status: number };
type Success<A extends DatabaseResponse> = Extract<A, { error: null }>;

/**
 * Returns the data of a database call.
 * @throws Refused with the error's code; `unavailable` if the backend did not answer
 */
export async function dataOf<A extends DatabaseResponse>(call: PromiseLike<A>): Promise<Success<A>['data']> {
  const response = await call;
  if (response.error) throw new Refused(await refusalFrom(response.error, response.status));
  return (response as Success<A>).data;
}

type Functions = Database['public']['Functions'];
/** Names of database functions that change data: those with an idempotency key. */
export type CommandName = {
  [Name in keyof Functions]: Functions[Name]['Args'] extends { idempotency_key: string } ? Name : never;
}[keyof Functions];

/**
 * Calls a database function that changes something, with a new idempotency key.
 * @throws Refused like `dataOf`
 */
export async function runCommand<Name extends CommandName>(
  backend: BackendClient,
  name: Name,
  parameters: Omit<Functions[Name]['Args'], 'idempotency_key'>,
): Promise<Functions[Name]['Returns']> {
  const idempotency_key = crypto.randomUUID();
  return dataOf(backend.rpc(name, { idempotency_key, ...parameters } as Functions[Name]['Args']));
}

type FunctionResult = { data: unknown; error: unknown; response?: Response };

/**
 * Returns the data of an edge function call.
 * @throws Refused with the function's code (`{ code, message, reason?, field? }`); `unavailable` if it did not answer
 */
export async function functionData(call: PromiseLike<FunctionResult>): Promise<unknown> {
  const { data, error, response } = await call;
  if (!error) return data;
  throw new Refused(response ? await refusalFromResponse(response) : refusal('unavailable'));
}

/** Reads the refusal from a function's response. A missing or crashed function is `unavailable`. */
export async function refusalFromResponse(response: Response): Promise<Refusal> {
  const details = await readObject(response);
  const retryAfter = Number(response.headers.get('retry-after')) || undefined;
  if (!isErrorCode(details.code)) {
    const isRelay = response.headers.get('x-relay-error') === 'true' || response.status >= 500;
    return { ...(isRelay ? refusal('unavailable') : await refusalFrom({}, response.status)), retryAfter };
  }
  return { ...(await refusalWithDetails(details.code, details)), retryAfter };
}

async function readObject(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
