import type { BackendAddress } from './backend-process.ts';

/** Why the site should not get traffic. */
export type Missing = 'starting' | 'backend' | 'stopping';

export type Health = {
  /** The pages are ready; `check` asks whether the backend answers. */
  begin(check: () => Promise<boolean>): void;
  /** The site is shutting down. */
  leave(): void;
  /** The last known state, at once. */
  known(): Missing | undefined;
  /** The current state. It checks the backend if the last check is older than `CHECK_INTERVAL_MS`. */
  check(): Promise<Missing | undefined>;
};

/** The backend is checked at most this often, in milliseconds. */
const CHECK_INTERVAL_MS = 2_000;

export function createHealth(now: () => number = () => performance.now()): Health {
  let state: 'starting' | 'running' | 'stopping' = 'starting';
  let checkBackend = async () => true;
  let isBackendUp = true;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  const missing = (): Missing | undefined =>
    state === 'running' ? (isBackendUp ? undefined : 'backend') : state;

  function refresh(): Promise<void> {
    if (now() - checkedAt < CHECK_INTERVAL_MS) return checking ?? Promise.resolve();
    checkedAt = now();
    checking = checkBackend().then(
      (isUp) => {
        isBackendUp = isUp;
        checking = undefined;
      },
      () => {
        isBackendUp = false;
        checking = undefined;
      },
    );
    return checking;
  }

  return {
    begin(check) {
      checkBackend = check;
      if (state === 'starting') state = 'running';
    },
    leave() {
      state = 'stopping';
    },
    known() {
      // Updates the state for the next request: a liveness check must not wait for the backend.
      if (state === 'running') void refresh();
      return missing();
    },
    async check() {
      if (state === 'running') await refresh();
      return missing();
    },
  };
}

/** Timeout of the check, in milliseconds. Reading a row takes a few; the next health check tries again. */
const TIMEOUT_MS = 2_000;

/** Checks whether a backend, embedded or hosted, answers from its database. */
export const backendCheck =
  ({ url, publishableKey }: BackendAddress) =>
  async (): Promise<boolean> => {
    const { ok, body } = await fetch(`${url}/rest/v1/site?select=name&limit=1`, {
      headers: { apikey: publishableKey },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await body?.cancel();
    return ok;
  };
