import { REQUEST_ID, requestId } from 'embedded-supabase';

type Fetch = typeof fetch;

/** Adds the id of the current request, so that the logs of both processes show the same id. */
export function withRequestIdHeader(baseFetch: Fetch = (input, init) => fetch(input, init)): Fetch {
  return (input, init) => {
    const id = requestId();
    if (id === undefined) return baseFetch(input, init);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    headers.set(REQUEST_ID, id);
    return baseFetch(input, { ...init, headers });
  };
}
