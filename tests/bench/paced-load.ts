import { randomUUID } from 'node:crypto';
import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { paragraph } from '../support/newsroom.ts';

/** Durations of other requests in ms. */
export type Times = { cached: number[]; uncached: number[]; publish: number[] };

/** Intervals in ms: a small newsroom on a busy evening, far below the machine's capacity. */
const PACE: Record<keyof Times, number> = { cached: 20, uncached: 200, publish: 1_000 };

/** Requests for changes are at most this many changes behind. */
const BEHIND = 20;

type Place = {
  url: string;
  /** Path of a page that does not change. */
  kept: string;
  /** The coverage that the editor writes in. */
  coverage: { id: string; slug: string };
  editor: SupabaseClient;
};

/** Readers and an editor with constant rates: cached pages, uncached requests for changes, and updates. */
export function openLoad({ url, kept, coverage, editor }: Place) {
  const agent = new Agent({ keepAlive: true });
  let seq = 0;
  let behind = 0;

  const once: Record<keyof Times, () => Promise<void>> = {
    cached: () => ask(url + kept, agent),
    uncached() {
      behind = (behind % BEHIND) + 1;
      return ask(`${url}/live/${coverage.slug}/changes?after=${seq - behind}&until=${seq}`, agent);
    },
    async publish() {
      const args = {
        coverage_id: coverage.id,
        update_id: randomUUID(),
        content: { body: [paragraph('One more line.')] },
      };
      const { data } = await editor
        .rpc('publish_update', { idempotency_key: randomUUID(), ...args })
        .throwOnError();
      seq = data.seq;
    },
  };

  return {
    /** Runs the load until a promise settles. */
    async until(end: Promise<unknown>): Promise<Times> {
      const times: Times = { cached: [], uncached: [], publish: [] };
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      end.then(over, over);
      const keep = async (kind: keyof Times) => {
        while (!isOver) {
          const began = performance.now();
          await once[kind]();
          const took = performance.now() - began;
          times[kind].push(took);
          await wait(Math.max(0, PACE[kind] - took));
        }
      };
      await once.publish();
      await Promise.all((Object.keys(PACE) as (keyof Times)[]).map(keep));
      return times;
    },
  };
}

function ask(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200
          ? resolve()
          : reject(new Error(`${url} answered ${response.statusCode}.`)),
      );
    }).on('error', reject);
  });
}
