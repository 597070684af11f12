import type { SupabaseClient } from '@supabase/supabase-js';
import type { Presence } from '../../lib/desk/presence.ts';
import type { Database } from '../../lib/supabase/database.types.ts';
import { type ChannelLine, joinPrivate, type LineEars } from './private-channel.ts';

/** What the channel of tips tells: a tip has come, or something was done to it. */
export type TipNews = { tip(id: string, version: number): void };
export type TipEars = LineEars & TipNews;

/** The one line of a client, and everybody of its page who listens. */
type Hub = { line: ChannelLine; ears: Set<TipEars>; isJoined: boolean; here: Presence[] | null };

const hubs = new WeakMap<SupabaseClient<Database>, Hub>();

/**
 * Joins the private channel of tips under the person's own rights. A client has one place in a channel: parts of a
 * page that listen share it, and it is left when the last of them leaves.
 * @param person the id of the client's person
 */
export function openTipsLine(client: SupabaseClient<Database>, person: string, ears: TipEars): ChannelLine {
  const hub = hubs.get(client) ?? openHub(client, person);
  hub.ears.add(ears);
  if (hub.isJoined) {
    queueMicrotask(() => {
      if (!hub.isJoined || !hub.ears.has(ears)) return;
      ears.joined();
      if (hub.here) ears.present(hub.here);
    });
  }
  return {
    track: (presence) => hub.line.track(presence),
    leave() {
      if (!hub.ears.delete(ears) || hub.ears.size > 0 || hubs.get(client) !== hub) return;
      hubs.delete(client);
      hub.line.leave();
    },
  };
}

function openHub(client: SupabaseClient<Database>, person: string): Hub {
  const ears = new Set<TipEars>();
  const each = (tell: (one: TipEars) => void) => {
    for (const one of [...ears]) tell(one);
  };
  const turn = (isJoined: boolean) => {
    hub.isJoined = isJoined;
    if (!isJoined) hub.here = null;
  };
  const told: LineEars = {
    joined() {
      turn(true);
      each((one) => one.joined());
    },
    lost() {
      turn(false);
      each((one) => one.lost());
    },
    closed() {
      turn(false);
      hubs.delete(client);
      each((one) => one.closed());
    },
    present(here) {
      hub.here = here;
      each((one) => one.present(here));
    },
  };
  const line = joinPrivate(client, 'tips', person, told, (on) =>
    on('tip', ({ tip, version }) => {
      if (typeof tip !== 'string' || typeof version !== 'number') return;
      each((one) => one.tip(tip, version));
    }),
  );
  const hub: Hub = { line, ears, isJoined: false, here: null };
  hubs.set(client, hub);
  return hub;
}
