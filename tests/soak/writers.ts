import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { type Newsroom, words } from '../bench/newsroom.ts';
import { call, paragraph } from '../support/newsroom.ts';
import { ALT, makePhoto, processPhoto } from '../support/photos.ts';

type Coverage = { id: string; slug: string };

export type Written = {
  /** Numbers of accepted updates. */
  numbers: number[];
  /** Ids of accepted tips. */
  tips: string[];
  /** Ids of processed photos. */
  photos: string[];
  /** Duration of each command in ms. */
  presses: number[];
  /** Descriptions of refusals and failures. */
  wrong: string[];
};

/** Intervals in ms. */
export type Pace = { publish: number; tip: number; photo: number };

/**
 * A reporter who publishes, corrects and sends photos, and readers who send tips, each at a constant rate until
 * `end`.
 */
export async function write(
  newsroom: Newsroom,
  reporter: SupabaseClient,
  coverage: Coverage,
  pace: Pace,
  end: AbortSignal,
): Promise<Written> {
  const written: Written = { numbers: [], tips: [], photos: [], presses: [], wrong: [] };
  const coverage_id = coverage.id;
  let photo: string | undefined;

  async function publish() {
    const began = performance.now();
    const shown = photo;
    photo = undefined;
    const body = [paragraph(words(`Report ${written.numbers.length + 1} of the evening`))];
    const update_id = randomUUID();
    const saved = await call<{ number: number; version: number }>(reporter, 'publish_update', {
      coverage_id,
      update_id,
      content: { body: [...body, ...(shown ? [{ type: 'photo', photo: shown }] : [])] },
    });
    written.presses.push(performance.now() - began);
    written.numbers.push(saved.number);
    if (shown) written.photos.push(shown);
    if (saved.number % 7 !== 0) return;
    const content = { body: [paragraph(words('What was said before, put right'))] };
    const args = { update_id, version: saved.version, content, note: 'The level was wrong.' };
    await call(reporter, 'correct_update', args);
  }

  async function tip() {
    const tip = { id: randomUUID(), body: words('Seen from the bridge'), coverage: coverage.slug };
    const sender = written.tips.length;
    const answer = await fetch(`${newsroom.url}/functions/v1/submit-tip`, {
      method: 'POST',
      headers: {
        apikey: newsroom.publishableKey,
        'content-type': 'application/json',
        'x-forwarded-for': `10.9.${sender >> 8}.${sender & 255}`,
      },
      body: JSON.stringify(tip),
    });
    if (!answer.ok) throw new Error(`A tip: ${answer.status} ${await answer.text()}`);
    written.tips.push(tip.id);
  }

  async function sendPhoto() {
    const photo_id = randomUUID();
    await call(reporter, 'save_photo', { photo_id, coverage_id, content: { alt: ALT } });
    const bytes = await makePhoto();
    const { error } = await reporter.storage
      .from('photos')
      .upload(`incoming/${photo_id}`, bytes, { contentType: 'image/jpeg' });
    if (error) throw error;
    const answer = await processPhoto(newsroom, photo_id);
    if (!answer.ok) throw new Error(`A photo: ${answer.status} ${await answer.text()}`);
    photo = photo_id;
  }

  async function keep(every: number, act: () => Promise<void>) {
    while (!end.aborted) {
      const began = performance.now();
      await act().catch((error: unknown) => written.wrong.push(String(error)));
      await wait(Math.max(0, every - (performance.now() - began)), undefined, { signal: end }).catch(
        () => {},
      );
    }
  }

  await Promise.all([keep(pace.publish, publish), keep(pace.tip, tip), keep(pace.photo, sendPhoto)]);
  return written;
}
