import type { SupabaseClient } from '@supabase/supabase-js';
import { type Presence, presencesIn } from '../../lib/desk/presence.ts';
import type { Database } from '../../lib/supabase/database.types.ts';

/** What the channel of a desk tells: numbers and ids, never words. */
export type DeskEars = {
  /** At every joining. What was said before it was not heard. */
  joined(): void;
  /** The line is gone for now: it is looked for again. */
  lost(): void;
  /** Refused, or closed by the backend: that is final for this line. */
  closed(): void;
  /** There is a version of an update. */
  update(id: string, version: number): void;
  /** A photo has become ready, or was refused. */
  photo(id: string): void;
  /** The coverage has changed. */
  coverage(): void;
  /** Who is here now, whenever that has changed. */
  present(presences: Presence[]): void;
};

/** A place in the channel of a desk. */
export type DeskLine = {
  /** Tells the others; forgotten when the line is lost, and nothing while it is not joined. */
  track(presence: Presence): void;
  leave(): void;
};

/** Joins the private channel of a coverage's desk under the person's own rights. */
export function openDeskLine(client: SupabaseClient<Database>, coverage: string, ears: DeskEars): DeskLine {
  const channel = client.channel(`desk:${coverage}`, { config: { private: true } });
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

  channel
    .on('broadcast', { event: 'update' }, ({ payload }) => {
      const { update, version } = payload as Record<string, unknown>;
      if (typeof update === 'string' && typeof version === 'number') ears.update(update, version);
    })
    .on('broadcast', { event: 'photo' }, ({ payload }) => {
      const { photo } = payload as Record<string, unknown>;
      if (typeof photo === 'string') ears.photo(photo);
    })
    .on('broadcast', { event: 'coverage' }, () => ears.coverage())
    .on('presence', { event: 'sync' }, () => {
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
