import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import { atom, type ReadableAtom } from 'nanostores';
import type { Database } from '../../lib/domain/database.types.ts';
import { type Presence, presencesIn } from '../../lib/domain/presence.ts';

/** What becomes of a line, and who is on it, whatever else it tells. */
export type LineEars = {
  /** At every joining. What was said before it was not heard. */
  joined(): void;
  /** The line is gone for now: it is looked for again. */
  lost(): void;
  /** Refused, or closed by the backend: that is final for this line. */
  closed(): void;
  /** Who is here now, whenever that has changed. */
  present(presences: Presence[]): void;
};

/** What a page tells the others of itself. */
export type Tracked = Omit<Presence, 'person'>;

/** A place in a channel. */
export type ChannelLine = {
  /** Tells the others; forgotten when the line is lost, and nothing while it is not joined. */
  track(presence: Tracked): void;
  leave(): void;
};

/** What a message says, of which nothing is believed yet. */
export type Message = Record<string, unknown>;

/**
 * Joins a private channel under the person's own rights.
 * @param person the id of the client's person, under which others see it
 * @param hear adds what is listened for, before it is joined
 */
export function joinPrivate(
  client: SupabaseClient<Database>,
  topic: string,
  person: string,
  ears: LineEars,
  hear: (on: (event: string, told: (message: Message) => void) => void) => void,
): ChannelLine {
  const channel: RealtimeChannel = client.channel(topic, {
    config: { private: true, presence: { key: person } },
  });
  let isOver = false;
  let isJoined = false;

  const end = () => {
    isOver = true;
    void client.removeChannel(channel);
  };
  const onStatus = (status: string) => {
    if (isOver) return;
    isJoined = status === 'SUBSCRIBED';
    if (isJoined) return ears.joined();
    // A line that was lost is found again by the client. What was refused over a good one would be asked for in vain.
    if (status !== 'CLOSED' && !client.realtime.isConnected()) return ears.lost();
    end();
    ears.closed();
  };

  hear((event, told) => void channel.on('broadcast', { event }, ({ payload }) => told(payload as Message)));
  channel.on('presence', { event: 'sync' }, () => {
    if (!isOver) ears.present(presencesIn(channel.presenceState()));
  });
  // Joining without the token would be refused.
  void client.realtime.setAuth().then(() => {
    if (!isOver) channel.subscribe(onStatus);
  });

  return {
    track(presence) {
      if (isJoined) void channel.track(presence);
    },
    leave: end,
  };
}

/** What the channel of a desk tells: numbers and ids, never words. */
export type DeskNews = {
  /** There is a version of an update. */
  update(id: string, version: number): void;
  /** A photo has become ready, or was refused. */
  photo(id: string): void;
  /** The coverage has changed. */
  coverage(): void;
};
export type DeskEars = LineEars & DeskNews;

/** Joins the private channel of a coverage's desk under the person's own rights. @param person the client's person */
export function openDeskLine(
  client: SupabaseClient<Database>,
  coverage: string,
  person: string,
  ears: DeskEars,
): ChannelLine {
  return joinPrivate(client, `desk:${coverage}`, person, ears, (on) => {
    on('update', ({ update, version }) => {
      if (typeof update === 'string' && typeof version === 'number') ears.update(update, version);
    });
    on('photo', ({ photo }) => {
      if (typeof photo === 'string') ears.photo(photo);
    });
    on('coverage', () => ears.coverage());
  });
}

/**
 * Calls `send` with the newest of the values that it is given: once they have settled, and at most `most` times in any
 * `per` milliseconds. What comes in between is left out; what was said last is always sent.
 * @param settle milliseconds to wait for a newer value
 */
export function paced<T>(
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

  /** Milliseconds until there is room for one more. */
  function wait(): number {
    const oldest = sent.length < most ? undefined : sent[sent.length - most];
    return Math.max(settle, oldest === undefined ? 0 : oldest + per - performance.now());
  }

  return (value) => {
    if (!newest) setTimeout(flush, wait());
    newest = { value };
  };
}

/** How the desk hears what others do: not yet, at once, or only when it looks. */
export type LineState = 'opening' | 'joined' | 'lost';

export type Line = {
  $line: ReadableAtom<LineState>;
  /** Opens a line unless there is one, or one was refused just now. */
  open(): void;
  close(): void;
};

/** What is done with what the line tells, but for its own state. */
export type Heard = Pick<LineEars, 'present'> & {
  /** The line was found, lost, or closed: whatever happened meanwhile was not heard. */
  turned(isJoined: boolean): void;
};

/** Before a line that was refused or closed is tried again. */
const AGAIN_MS = 30_000;

/** A channel allows five presence calls in thirty seconds; one is left for whatever we do not know of. */
const PACE = { most: 4, per: 30_000, settle: 500 };

/** The line of a desk to its colleagues, who are told `$editing` whenever it changes. */
export function makeLine<Told extends object>(
  openLine: (ears: LineEars & Told) => ChannelLine,
  $editing: ReadableAtom<string | null>,
  heard: Heard & Told,
): Line {
  const $line = atom<LineState>('opening');
  let line: ChannelLine | undefined;
  let notBefore = Number.NEGATIVE_INFINITY;
  const track = paced((editing: string | null) => line?.track({ editing }), PACE);

  function turn(state: LineState): void {
    if (state === 'lost' && $line.get() === 'lost') return;
    $line.set(state);
    heard.turned(state === 'joined');
    if (state === 'joined') track($editing.get());
  }

  const ears = {
    ...heard,
    joined: () => turn('joined'),
    lost: () => turn('lost'),
    closed() {
      line = undefined;
      notBefore = performance.now() + AGAIN_MS;
      turn('lost');
    },
  };
  let stopTelling: (() => void) | undefined;

  return {
    $line,
    open() {
      if (line || performance.now() < notBefore) return;
      line = openLine(ears);
      stopTelling ??= $editing.listen(track);
    },
    close() {
      line?.leave();
      line = undefined;
      stopTelling?.();
      stopTelling = undefined;
      $line.set('opening');
    },
  };
}
