import type { RealtimeChannel, RealtimeClient } from '@supabase/realtime-js';
import type { BrowserBackend } from '../../lib/data/browser-client.ts';
import { realtimeClient } from '../../lib/data/realtime-client.ts';
import { joinDelay } from '../network/retry.ts';

/** A broadcast change: its seq, and the milliseconds within which to fetch it. */
type Change = { seq: number; spread: number };

type ChangeListener = {
  /** Whether changes are reported from now on. */
  setListening(isListening: boolean): void;
  onChange(change: Change): void;
  /** The follow mode has changed; fetch it within this many milliseconds. */
  checkWithin(spread: number): void;
};

export type TopicSocket = {
  /** Opens the socket and keeps it open, or closes it. */
  setOpen(now: boolean): void;
};

/** A private Realtime channel and its handlers. */
type TopicOptions = {
  topic: string;
  /** Handlers by event name. */
  events: Record<string, (message: Record<string, unknown>) => void>;
  setListening: ChangeListener['setListening'];
  /** Returns an access token at every opening; without it the channel is open to everyone. */
  token?: () => Promise<string>;
};

/** Upper limit for the spread that a message asks for. */
const MAX_SPREAD_MS = 60_000;

/**
 * Socket that reports a coverage's changes, initially closed. Load it with `import()`, because it includes the Realtime
 * library.
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

/** Socket of one Realtime channel, initially closed. */
export function topicSocket(
  backend: BrowserBackend,
  { topic, events, setListening, token }: TopicOptions,
): TopicSocket {
  let shouldBeOpen = false;
  let client: RealtimeClient | undefined;
  let channel: RealtimeChannel | undefined;
  let isOpening = false;
  let closing: Promise<unknown> | undefined;
  /** Consecutive refusals of the channel. */
  let refusals = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function open() {
    if (isOpening) return;
    isOpening = true;
    try {
      // The library may be reconnecting at the same time after a silence.
      await close();
      if (!shouldBeOpen) return;
      client ??= realtimeClient(backend, retryDelayMs, token);
      // A background page gets little time, so the connection may not be closed yet.
      if (client.connectionState() !== 'closed') return retry();
      // Without an acknowledged close, the library still regards the channel as joined and would not join again.
      channel?.unsubscribe();
      // Joining without a token would be refused.
      if (token) await client.setAuth();
      if (!shouldBeOpen) return;
      channel = join(client);
    } catch {
      // Sockets are not available. The library's objects cannot be used again.
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
      // The library reconnects lost connections itself. For refused channels it would retry every ten seconds forever.
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

/** Parses a message; undefined when it is invalid. */
function changeOf({ seq, spread }: { seq?: unknown; spread?: unknown }): Change | undefined {
  if (!Number.isSafeInteger(seq)) return;
  return { seq: Number(seq), spread: spreadOf({ spread }) };
}

function spreadOf({ spread }: { spread?: unknown }): number {
  return Math.min(Math.max(0, Number(spread) || 0), MAX_SPREAD_MS);
}
