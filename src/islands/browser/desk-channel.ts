import type { SupabaseClient } from '@supabase/supabase-js';
import type { Database } from '../../lib/supabase/database.types.ts';
import { type ChannelLine, joinPrivate, type LineEars } from './private-channel.ts';

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
