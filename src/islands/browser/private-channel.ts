import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import { type Presence, presencesIn } from '../../lib/desk/presence.ts';
import type { Database } from '../../lib/supabase/database.types.ts';

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
