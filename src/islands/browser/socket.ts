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
  /** The page is to be followed otherwise: to be asked for within so many milliseconds. */
  askWithin(spread: number): void;
};

export type TopicSocket = {
  /** Opens the socket, and again whenever it is lost; or closes it. */
  want(now: boolean): void;
};

/** What is heard of a private topic. */
type Hearing = {
  topic: string;
  /** What is done with each of its messages, by their names. */
  events: Record<string, (message: Record<string, unknown>) => void>;
  listens: Listener['listens'];
  /** A token of whoever may hear it, asked for anew at every opening; everyone may where there is none. */
  token?: () => Promise<string>;
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
  { listens, hear, askWithin }: Listener,
): TopicSocket {
  return topicSocket(backend, {
    topic: `coverage:${coverageId}`,
    events: {
      change(message) {
        const change = changeOf(message);
        if (change) hear(change);
      },
      follow: (message) => askWithin(spreadOf(message)),
    },
    listens,
  });
}

/** The socket that tells what happens on one topic, closed until it is wanted. */
export function topicSocket(
  backend: BrowserBackend,
  { topic, events, listens, token }: Hearing,
): TopicSocket {
  let wanted = false;
  let client: RealtimeClient | undefined;
  let channel: RealtimeChannel | undefined;
  let opening = false;
  let closing: Promise<unknown> | undefined;
  /** How often in a row the channel was refused. */
  let refusals = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function open() {
    if (opening) return;
    opening = true;
    try {
      // The library may be about to open it too: after a silence both of us are.
      await close();
      if (!wanted) return;
      client ??= realtimeClient(backend, wait, token);
      // The browser gives a page little time in which it was not looked at: the line may not have closed yet.
      if (client.connectionState() !== 'closed') return again();
      // Where nobody answered the close of the line before, the library tells its channel nothing: that would believe
      // itself joined, and never join again.
      channel?.unsubscribe();
      // Joining without the token would be refused.
      if (token) await client.setAuth();
      if (!wanted) return;
      channel = join(client);
    } catch {
      // The browser knows no sockets here. What it has made of one is of no use.
      client = channel = undefined;
      again();
    } finally {
      opening = false;
    }
  }

  function join(to: RealtimeClient): RealtimeChannel {
    const joining = to.channel(topic, { config: { private: true } });
    for (const [event, heard] of Object.entries(events)) {
      joining.on('broadcast', { event }, ({ payload }) => heard(payload));
    }
    return joining.subscribe((status) => {
      if (status === 'SUBSCRIBED') return void (wanted ? joined() : close());
      listens(false);
      // A line that broke is opened again by the library, which would also ask for a refused channel every ten
      // seconds, for ever.
      if (to.isConnected()) again();
    });
  }

  function joined() {
    refusals = 0;
    clearTimeout(timer);
    listens(true);
  }

  function again() {
    close();
    if (!wanted) return;
    refusals++;
    clearTimeout(timer);
    timer = setTimeout(open, wait(refusals));
  }

  function close(): Promise<unknown> | undefined {
    closing ??= client?.disconnect().finally(() => {
      closing = undefined;
    });
    return closing;
  }

  return {
    want(now) {
      if (now === wanted) return;
      wanted = now;
      refusals = 0;
      clearTimeout(timer);
      if (now) return void open();
      listens(false);
      close();
    },
  };
}

const wait = (tries: number) => waitToJoin(tries, Math.random());

/** A message, read; undefined when it is none of ours. */
function changeOf({ seq, spread }: { seq?: unknown; spread?: unknown }): Change | undefined {
  if (!Number.isSafeInteger(seq)) return;
  return { seq: Number(seq), spread: spreadOf({ spread }) };
}

function spreadOf({ spread }: { spread?: unknown }): number {
  return Math.min(Math.max(0, Number(spread) || 0), LONGEST_SPREAD_MS);
}
