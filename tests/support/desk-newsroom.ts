import { createClient } from '@supabase/supabase-js';
import type { DeskBackend } from '../../src/islands/desk/backend.ts';
import type { DeskHandlers, TrackedPresence } from '../../src/islands/desk/channel.ts';
import { statesOf } from '../../src/lib/data/desk.ts';
import { FIRST_WINDOW } from '../../src/lib/data/desk-list.ts';
import type { Database } from '../../src/lib/domain/database.types.ts';
import type { DeskCoverage } from '../../src/lib/domain/desk-coverages.ts';
import type { DeskUpdate } from '../../src/lib/domain/updates.ts';
import { coverage } from './desk.ts';

/** A newsroom at the other end of the wire, for a desk without a browser: what it has, what it is asked, its line. */
export type DeskNewsroom = {
  backend: DeskBackend;
  coverage: DeskCoverage;
  rows: DeskUpdate[];
  roster: { id: string; display_name: string }[];
  /** The calls since the last time this was asked: `coverage`, `heads`, `roster`, or the ids of the rows asked for. */
  asked(): string[];
  /** What the next calls are answered with instead; null for what is there. */
  refuse(status: number | null): void;
  /** Holds all answers back until they are let go. */
  hold(): () => void;
  /** The lines that were opened: the ears of each, what was told over it, whether it was left. */
  lines: { ears: DeskHandlers; told: TrackedPresence[]; isLeft: boolean }[];
};

export function deskNewsroom(rows: DeskUpdate[] = []): DeskNewsroom {
  let calls: string[] = [];
  let refused: number | null = null;
  let gate = Promise.resolve();

  function answer({ pathname, searchParams }: URL): unknown {
    if (pathname.endsWith('/desk_roster')) return note('roster', newsroom.roster);
    if (pathname.endsWith('/desk_counts') || pathname.endsWith('/desk_silent')) return [];
    if (pathname.endsWith('/coverages')) return note('coverage', newsroom.coverage);
    const ids = searchParams.get('id')?.match(/[0-9a-f-]{36}/g);
    if (ids)
      return note(
        ids.join(' '),
        newsroom.rows.filter((row) => ids.includes(row.id)),
      );
    const states = statesOf(FIRST_WINDOW.filter);
    return note(
      'heads',
      newsroom.rows.filter((row) => states.includes(row.state)),
    );
  }
  function note<T>(call: string, found: T): T {
    calls.push(call);
    return found;
  }
  const fetch = async (input: RequestInfo | URL) => {
    await gate;
    const found = answer(new URL(String(input)));
    return refused === null ? Response.json(found) : Response.json({ message: 'no' }, { status: refused });
  };
  const client = createClient<Database>('http://newsroom.test', 'sb_publishable_x', {
    accessToken: async () => null,
    global: { fetch },
  });

  const newsroom: DeskNewsroom = {
    coverage,
    rows,
    roster: [{ id: 'editor-id', display_name: 'The editor' }],
    lines: [],
    asked() {
      const past = calls;
      calls = [];
      return past;
    },
    refuse(status) {
      refused = status;
    },
    hold() {
      const held = Promise.withResolvers<void>();
      gate = held.promise;
      return held.resolve;
    },
    backend: {
      tokens: { get: async () => 'x', forget: () => {} },
      read: (query) => query(client),
      execute: () => Promise.reject(new Error('Nothing is pressed here.')),
      send: () => Promise.reject(new Error('Nothing is sent here.')),
      refetched: () => {},
      join: () => ({ track: () => {}, leave: () => {} }),
      joinDesk(_coverage, ears) {
        const line = { ears, told: [] as TrackedPresence[], isLeft: false };
        newsroom.lines.push(line);
        return {
          track: (presence) => line.told.push(presence),
          leave: () => {
            line.isLeft = true;
          },
        };
      },
    },
  };
  return newsroom;
}
