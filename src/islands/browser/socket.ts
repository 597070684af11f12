import type { RealtimeChannel, RealtimeClient } from '@supabase/realtime-js';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { realtimeClient } from '../../lib/supabase/realtime.ts';
import { joinDelay } from './wait.ts';

/** What the database tells of a change: its number, and within how many milliseconds to ask for it. */
export type Change = { seq: number; spread: number };

type ChangeListener = {
  /** Whether changes are heard from now on. */
  setListening(isListening: boolean): void;
  onChange(change: Change): void;
  /** The page is to be followed otherwise: to be asked for within so many milliseconds. */
  checkWithin(spread: number): void;
};

export type TopicSocket = {
  /** Opens the socket, and again whenever it is lost; or closes it. */
  setOpen(now: boolean): void;
};

/** What is heard of a private topic. */
type TopicOptions = {
  topic: string;
  /** What is done with each of its messages, by their names. */
  events: Record<string, (message: Record<string, unknown>) => void>;
  setListening: ChangeListener['setListening'];
  /** A token of whoever may hear it, asked for anew at every opening; everyone may where there is none. */
  token?: () => Promise<string>;
};

/** More than any newsroom needs to spread its readers over. */
const MAX_SPREAD_MS = 60_000;

/**
 * The socket that tells of a coverage's changes, closed until it is wanted. To be loaded by `import()`: it brings the
 * library with it, which no page needs that follows by checks.
 */
export function coverageSocket(
  coverageId: string,
  backend: BrowserBackend,
  { setListening, onChange, checkWithin }: ChangeListener,
): TopicSocket {
  return topicSocket(backend, {
    topic: `coverage:${coverageId}`,
    events: {
      change(message) {
        const change = changeOf(message);
        if (change) onChange(change);
      },
      follow: (message) => checkWithin(spreadOf(message)),
    },
    setListening,
  });
}

/** The socket that tells what happens on one topic, closed until it is wanted. */
export function topicSocket(
  backend: BrowserBackend,
  { topic, events, setListening, token }: TopicOptions,
): TopicSocket {
  let shouldBeOpen = false;
  let client: RealtimeClient | undefined;
  let channel: RealtimeChannel | undefined;
  let isOpening = false;
  let closing: Promise<unknown> | undefined;
  /** How often in a row the channel was refused. */
  let refusals = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function open() {
    if (isOpening) return;
    isOpening = true;
    try {
      // The library may be about to open it too: after a silence both of us are.
      await close();
      if (!shouldBeOpen) return;
      client ??= realtimeClient(backend, retryDelayMs, token);
      // The browser gives a page little time in which it was not looked at: the line may not have closed yet.
      if (client.connectionState() !== 'closed') return retry();
      // Where nobody answered the close of the line before, the library tells its channel nothing: that would believe
      // itself joined, and never join again.
      channel?.unsubscribe();
      // Joining without the token would be refused.
      if (token) await client.setAuth();
      if (!shouldBeOpen) return;
      channel = join(client);
    } catch {
      // The browser knows no sockets here. What it has made of one is of no use.
      client = channel = undefined;
      retry();
    } finally {
      isOpening = false;
    }
  }

  function join(to: RealtimeClient): RealtimeChannel {
    const joining = to.channel(topic, { config: { private: true } });
    for (const [event, handle] of Object.entries(events)) {
      joining.on('broadcast', { event }, ({ payload }) => handle(payload));
    }
    return joining.subscribe((status) => {
      if (status === 'SUBSCRIBED') return void (shouldBeOpen ? onJoined() : close());
      setListening(false);
      // A line that broke is opened again by the library, which would also ask for a refused channel every ten
      // seconds, for ever.
      if (to.isConnected()) retry();
    });
  }

  function onJoined() {
    refusals = 0;
    clearTimeout(timer);
    setListening(true);
  }

  function retry() {
    close();
    if (!shouldBeOpen) return;
    refusals++;
    clearTimeout(timer);
    timer = setTimeout(open, retryDelayMs(refusals));
  }

  function close(): Promise<unknown> | undefined {
    closing ??= client?.disconnect().finally(() => {
      closing = undefined;
    });
    return closing;
  }

  return {
    setOpen(now) {
      if (now === shouldBeOpen) return;
      shouldBeOpen = now;
      refusals = 0;
      clearTimeout(timer);
      if (now) return void open();
      setListening(false);
      close();
    },
  };
}

const retryDelayMs = (tries: number) => joinDelay(tries, Math.random());

/** A message, read; undefined when it is none of ours. */
function changeOf({ seq, spread }: { seq?: unknown; spread?: unknown }): Change | undefined {
  if (!Number.isSafeInteger(seq)) return;
  return { seq: Number(seq), spread: spreadOf({ spread }) };
}

function spreadOf({ spread }: { spread?: unknown }): number {
  return Math.min(Math.max(0, Number(spread) || 0), MAX_SPREAD_MS);
}
