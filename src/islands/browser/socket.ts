import type { RealtimeChannel, RealtimeClient } from '@supabase/realtime-js';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { realtimeClient } from '../../lib/supabase/realtime.ts';
import { waitToJoin } from './wait.ts';

/** What the database tells of a change: its number, and within how many milliseconds to ask for it. */
export type Change = { seq: number; spread: number };

type Listener = {
  /** Whether changes are heard from now on. */
  listens(hears: boolean): void;
  hear(change: Change): void;
};

export type CoverageSocket = {
  /** Opens the socket, and again whenever it is lost; or closes it. */
  want(now: boolean): void;
};

/** More than any newsroom needs to spread its readers over. */
const LONGEST_SPREAD_MS = 60_000;

/**
 * The socket that tells of a coverage's changes, closed until it is wanted. To be loaded by `import()`: it brings the
 * library with it, which no page needs that follows by checks.
 */
export function coverageSocket(
  coverageId: string,
  backend: BrowserBackend,
  { listens, hear }: Listener,
): CoverageSocket {
  let wanted = false;
  let client: RealtimeClient | undefined;
  let channel: RealtimeChannel | undefined;
  let closing: Promise<unknown> | undefined;
  /** How often it was lost or did not open since it last opened. */
  let tries = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function open() {
    timer = undefined;
    try {
      await closing;
      if (!wanted) return;
      client ??= realtimeClient(backend);
      if (channel) client.connect();
      else channel = join(client);
    } catch {
      // The browser knows no sockets here.
      lost();
    }
  }

  function join(to: RealtimeClient): RealtimeChannel {
    const joining = to.channel(`coverage:${coverageId}`, { config: { private: true } });
    joining.on('broadcast', { event: 'change' }, ({ payload }) => {
      const change = changeOf(payload);
      if (change) hear(change);
    });
    // A channel that was lost with its socket joins again when that opens; one that the server closed never does.
    return joining.subscribe((status) => {
      if (status === 'CLOSED') channel = undefined;
      if (status === 'SUBSCRIBED' && wanted) joined();
      else lost();
    });
  }

  function joined() {
    tries = 0;
    cancel();
    listens(true);
  }

  function lost() {
    listens(false);
    close();
    if (!wanted || timer) return;
    tries++;
    timer = setTimeout(open, waitToJoin(tries, Math.random()));
  }

  function close() {
    closing ??= client?.disconnect().finally(() => {
      closing = undefined;
    });
  }

  function cancel() {
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    want(now) {
      if (now === wanted) return;
      wanted = now;
      cancel();
      tries = 0;
      if (now) open();
      else lost();
    },
  };
}

/** A message, read; undefined when it is none of ours. */
function changeOf({ seq, spread }: { seq?: unknown; spread?: unknown }): Change | undefined {
  if (!Number.isSafeInteger(seq)) return;
  const within = Math.min(Math.max(0, Number(spread) || 0), LONGEST_SPREAD_MS);
  return { seq: Number(seq), spread: within };
}
