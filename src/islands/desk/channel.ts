import type { RealtimeChannel } from '@supabase/supabase-js';
import { atom, type ReadableAtom } from 'nanostores';
import type { BackendClient } from '../../lib/data/result.ts';
import { type Presence, presencesIn } from '../../lib/domain/desk.ts';

/** Handlers for the state of a channel and for presence. */
export type ChannelHandlers = {
  /** After every join. Earlier messages are lost. */
  joined(): void;
  /** The connection is lost; the client reconnects. */
  lost(): void;
  /** The channel was refused or closed by the backend. The client does not rejoin. */
  closed(): void;
  /** The current presences after a change. */
  present(presences: Presence[]): void;
};

/** The presence that a page tracks. */
export type TrackedPresence = Omit<Presence, 'person'>;

/** Handle of a joined channel. */
export type ChannelHandle = {
  /** Tracks the own presence. Ignored while the channel is not joined; forgotten when the connection is lost. */
  track(presence: TrackedPresence): void;
  leave(): void;
};

/** An unvalidated message. */
type Message = Record<string, unknown>;

/**
 * Joins a private channel with the person's permissions.
 * @param person id of the client's person, which is the key of its presence
 * @param addListeners registers message handlers before joining
 */
export function joinPrivateChannel(
  client: BackendClient,
  topic: string,
  person: string,
  handlers: ChannelHandlers,
  addListeners: (on: (event: string, onMessage: (message: Message) => void) => void) => void,
): ChannelHandle {
  const channel: RealtimeChannel = client.channel(topic, {
    config: { private: true, presence: { key: person } },
  });
  let hasLeft = false;
  let isJoined = false;

  const leaveChannel = () => {
    hasLeft = true;
    void client.removeChannel(channel);
  };
  const onStatus = (status: string) => {
    if (hasLeft) return;
    isJoined = status === 'SUBSCRIBED';
    if (isJoined) return handlers.joined();
    // The client rejoins after a lost connection. A refusal over a working connection is final.
    if (status !== 'CLOSED' && !client.realtime.isConnected()) return handlers.lost();
    leaveChannel();
    handlers.closed();
  };

  addListeners(
    (event, onMessage) =>
      void channel.on('broadcast', { event }, ({ payload }) => onMessage(payload as Message)),
  );
  channel.on('presence', { event: 'sync' }, () => {
    if (!hasLeft) handlers.present(presencesIn(channel.presenceState()));
  });
  // Joining without a token would be refused.
  void client.realtime.setAuth().then(() => {
    if (!hasLeft) channel.subscribe(onStatus);
  });

  return {
    track(presence) {
      if (isJoined) void channel.track(presence);
    },
    leave: leaveChannel,
  };
}

/** Handlers for the messages of a desk's channel. They contain numbers and ids, never text. */
export type DeskChangeHandlers = {
  /** An update has a new version. */
  update(id: string, version: number): void;
  /** A photo is ready or was refused. */
  photo(id: string): void;
  /** The coverage has changed. */
  coverage(): void;
};
export type DeskHandlers = ChannelHandlers & DeskChangeHandlers;

/**
 * Joins the private channel of a coverage's desk with the person's permissions.
 * @param person id of the client's person
 */
export function joinDeskChannel(
  client: BackendClient,
  coverage: string,
  person: string,
  handlers: DeskHandlers,
): ChannelHandle {
  return joinPrivateChannel(client, `desk:${coverage}`, person, handlers, (on) => {
    on('update', ({ update, version }) => {
      if (typeof update === 'string' && typeof version === 'number') handlers.update(update, version);
    });
    on('photo', ({ photo }) => {
      if (typeof photo === 'string') handlers.photo(photo);
    });
    on('coverage', () => handlers.coverage());
  });
}

/**
 * Calls `send` with the newest value, after values have settled and at most `most` times per `per` milliseconds. Values
 * in between are dropped; the last one is always sent.
 * @param settle milliseconds to wait for a newer value
 */
export function throttled<T>(
  send: (value: T) => void,
  { most, per, settle }: { most: number; per: number; settle: number },
): (value: T) => void {
  let sent: number[] = [];
  let newest: { value: T } | undefined;

  function flush(): void {
    if (!newest) return;
    const now = performance.now();
    sent = [...sent.filter((at) => at > now - per), now];
    send(newest.value);
    newest = undefined;
  }

  /** Milliseconds until the next call is allowed. */
  function delay(): number {
    const oldest = sent.length < most ? undefined : sent[sent.length - most];
    return Math.max(settle, oldest === undefined ? 0 : oldest + per - performance.now());
  }

  return (value) => {
    if (!newest) setTimeout(flush, delay());
    newest = { value };
  };
}

/** State of the desk's channel: not joined yet, joined, or lost. */
export type ChannelState = 'opening' | 'joined' | 'lost';

type ChannelConnection = {
  $channelState: ReadableAtom<ChannelState>;
  /** Joins the channel unless it is joined or was refused recently. */
  open(): void;
  close(): void;
};

/** Handlers of the channel's messages. */
type ConnectionHandlers = Pick<ChannelHandlers, 'present'> & {
  /** The channel was joined, lost or closed. Messages in between are lost. */
  onConnectionChange(isJoined: boolean): void;
};

/** Delay before a refused channel is joined again. */
const REJOIN_DELAY_MS = 30_000;

/** A channel allows five presence calls in 30 seconds. One is kept in reserve. */
const PRESENCE_RATE = { most: 4, per: 30_000, settle: 500 };

/** Connection to the desk's channel. Tracks `$editing` as presence. */
export function makeChannelConnection<Handlers extends object>(
  joinChannel: (channelHandlers: ChannelHandlers & Handlers) => ChannelHandle,
  $editing: ReadableAtom<string | null>,
  handlers: ConnectionHandlers & Handlers,
): ChannelConnection {
  const $channelState = atom<ChannelState>('opening');
  let channel: ChannelHandle | undefined;
  let retryAt = Number.NEGATIVE_INFINITY;
  const track = throttled((editing: string | null) => channel?.track({ editing }), PRESENCE_RATE);

  function setState(state: ChannelState): void {
    if (state === 'lost' && $channelState.get() === 'lost') return;
    $channelState.set(state);
    handlers.onConnectionChange(state === 'joined');
    if (state === 'joined') track($editing.get());
  }

  const channelHandlers = {
    ...handlers,
    joined: () => setState('joined'),
    lost: () => setState('lost'),
    closed() {
      channel = undefined;
      retryAt = performance.now() + REJOIN_DELAY_MS;
      setState('lost');
    },
  };
  let stopTracking: (() => void) | undefined;

  return {
    $channelState: $channelState,
    open() {
      if (channel || performance.now() < retryAt) return;
      channel = joinChannel(channelHandlers);
      stopTracking ??= $editing.listen(track);
    },
    close() {
      channel?.leave();
      channel = undefined;
      stopTracking?.();
      stopTracking = undefined;
      $channelState.set('opening');
    },
  };
}
