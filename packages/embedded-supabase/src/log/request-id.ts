import { AsyncLocalStorage } from 'node:async_hooks';

const NAME = Symbol.for('embedded-supabase.request');

type Process = typeof globalThis & { [NAME]?: AsyncLocalStorage<string> };

const here: Process = globalThis;
here[NAME] ??= new AsyncLocalStorage();

/**
 * The id of the request that is being answered, for whatever is done for it. The pages are bundled apart, with a copy
 * of this module of their own, so both meet in one place of the process.
 */
const answering = here[NAME];

/** Header with the request id: from the website's server to pages, backend and client. */
export const REQUEST_ID = 'x-request-id';

/** @returns undefined outside of a request */
export const requestId = (): string | undefined => answering.getStore();

/** The same as a header of its answer. */
export function requestHeader(): Record<string, string> {
  const id = requestId();
  return id === undefined ? {} : { [REQUEST_ID]: id };
}

export const underRequest = <T>(id: string, work: () => T): T => answering.run(id, work);

/** Whether a text has the format of our request ids. Other values are not used. */
export const isRequestId = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-9a-hj-km-np-tv-z]{12}$/.test(text);

const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz';

/** Twelve signs that can be read out over a telephone (Crockford's base 32): 60 bits of chance. */
export const newRequestId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => SIGNS[byte & 31]).join('');
