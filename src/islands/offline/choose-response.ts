import type { Comparison } from './saved-page.ts';

/** Milliseconds after which a slow connection makes the worker check the saved copy, and show it. */
export const CHECK_COPY_AFTER_MS = 2000;
export const SHOW_COPY_AFTER_MS = 8000;

/** Time to wait for the page after the site has reported a change, in milliseconds. */
export const CHANGED_PAGE_TIMEOUT_MS = 6000;

/** Time to wait for a page without a saved copy, in milliseconds. */
export const NO_COPY_TIMEOUT_MS = 25_000;

type ChooseOptions = {
  /** The running request for the page. */
  network: Promise<Response>;
  /** Checks the saved copy with the site; undefined without a copy. */
  saved?: { check(): Promise<Comparison> };
  /** Resolves after this many milliseconds. */
  after(ms: number): Promise<undefined>;
};

/** The response to show. */
export type ChosenResponse =
  | { show: 'network'; response: Response }
  /** The saved copy, which the site has confirmed. */
  | { show: 'current' }
  /** The saved copy with a note, because the site could not be reached. */
  | { show: 'saved' }
  | { show: 'nothing' };

/**
 * Chooses a response, network first. On a slow connection it also checks the saved copy, which needs less data than the
 * page; on a dead one it shows the copy. All waits are limited.
 */
export async function chooseResponse({ network, saved, after }: ChooseOptions): Promise<ChosenResponse> {
  const response = network.then(
    (response) => ({ response }),
    () => 'failed' as const,
  );
  if (!saved) return networkOrNothing(await Promise.race([response, after(NO_COPY_TIMEOUT_MS)]));
  const first = await Promise.race([response, after(CHECK_COPY_AFTER_MS)]);
  if (first) return networkOrSaved(first);
  const check = saved.check();
  // If one of the two fails, the other may still succeed.
  const page = response.then<NetworkResult | Comparison>((networkResult) =>
    networkResult === 'failed' ? check.catch(() => networkResult) : networkResult,
  );
  const comparison = check.catch(() => page);
  const second = await Promise.race([page, comparison, after(SHOW_COPY_AFTER_MS - CHECK_COPY_AFTER_MS)]);
  if (second === 'current') return { show: 'current' };
  if (second === 'gone')
    return networkOrNothing(await Promise.race([response, after(CHANGED_PAGE_TIMEOUT_MS)]));
  // The site is reachable and has changes, so the page is worth waiting for.
  if (second === 'changed')
    return networkOrSaved(await Promise.race([response, after(CHANGED_PAGE_TIMEOUT_MS)]));
  return networkOrSaved(second);
}

type NetworkResult = { response: Response } | 'failed';

function networkOrNothing(networkResult: NetworkResult | undefined): ChosenResponse {
  return typeof networkResult === 'object'
    ? { show: 'network', response: networkResult.response }
    : { show: 'nothing' };
}

/** A saved copy is better than a server error. */
function networkOrSaved(networkResult: NetworkResult | undefined): ChosenResponse {
  const isUsable = typeof networkResult === 'object' && networkResult.response.status < 500;
  return isUsable ? networkOrNothing(networkResult) : { show: 'saved' };
}
