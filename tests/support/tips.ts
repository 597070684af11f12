import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { anonClient } from './backend.ts';
import { callServer } from './newsroom.ts';
import { makePhoto } from './photos.ts';
import type { TestSite } from './site.ts';

type TipContent = {
  body: string;
  /** The slug of the coverage that the tip is about. */
  coverage?: string;
  name?: string;
  contact?: string;
  may_be_named?: boolean;
  /** A field that people do not see. A tip with a value in this field is held. */
  website?: string;
};

type Site = Pick<TestSite, 'url' | 'publishableKey' | 'secretKey'>;

/** Sends a tip as the form does. @returns its id */
export async function sendTip(site: Site, content: TipContent): Promise<string> {
  const { id } = await submit(site, content);
  return id;
}

/** Sends a tip whose photo does not arrive. @returns its receipt and the photo's id */
export async function sendTipWithoutItsPhoto(site: Site, content: TipContent) {
  const photo = { id: randomUUID(), type: 'image/jpeg', size: 1_000 };
  const { receipt } = await submit(site, { ...content, photo });
  return { receipt, photo: photo.id };
}

/**
 * Sends a tip with a photo, which is uploaded and processed.
 * @param sender client of a signed-in person, to whose account the tip belongs; without it, a visitor sends it
 */
export async function sendTipWithPhoto(
  site: Site,
  content: TipContent,
  sender = anonClient(site),
): Promise<{ id: string; photo: string; receipt: string }> {
  const bytes = await makePhoto(900, 600);
  const photo = { id: randomUUID(), type: 'image/jpeg', size: bytes.length };
  const { id, receipt, upload } = await submit(site, { ...content, photo }, sender);
  if (!upload) throw new Error('The response to a tip contains the address for its photo.');
  const { error } = await anonClient(site)
    .storage.from(upload.bucket)
    .uploadToSignedUrl(upload.path, upload.token, bytes, { contentType: 'image/jpeg' });
  if (error) throw error;
  const answer = await fetch(`${site.url}/api/photos/${photo.id}`, {
    method: 'POST',
    headers: { origin: site.url },
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return { id, photo: photo.id, receipt };
}

type SubmittedTip = { receipt: string; upload: { bucket: string; path: string; token: string } | null };

async function submit(
  site: Site,
  content: TipContent & { photo?: object },
  sender = anonClient(site),
): Promise<SubmittedTip & { id: string }> {
  const id = randomUUID();
  const { data, error } = await sender.functions.invoke('submit-tip', { body: { id, ...content } });
  if (error) throw new Error(JSON.stringify(await error.context.json()));
  return { id, ...(data as SubmittedTip) };
}

/** Senders behind a few addresses. The first sender sends `tipsOfFirstSender` of the tips. */
export type TipFlood = { senders: number; addresses: number; tips: number; tipsOfFirstSender: number };

/** The response to a tip. */
export type SentTip = {
  id: string;
  sender: number;
  status: number;
  held?: boolean;
  code?: string;
  ms: number;
};

type Answer = { held?: boolean; device?: string; code?: string };

/**
 * Sends tips as browsers do. Each sender sends its tips one after another, with its device token. The first sender
 * sends all tips after its first one at once.
 * @param network the first three numbers of the addresses
 */
export async function sendTipFlood(
  { url, publishableKey, headers }: { url: string; publishableKey: string; headers?: Record<string, string> },
  { senders, addresses, tips, tipsOfFirstSender }: TipFlood,
  network: string,
): Promise<SentTip[]> {
  const sent: SentTip[] = [];

  async function send(sender: number, n: number, device: string | undefined): Promise<string | undefined> {
    const id = randomUUID();
    const began = performance.now();
    const answer = await fetch(`${url}/functions/v1/submit-tip`, {
      method: 'POST',
      headers: {
        ...headers,
        apikey: publishableKey,
        'content-type': 'application/json',
        'x-forwarded-for': `${network}.${sender % addresses}`,
      },
      body: JSON.stringify({ id, body: `Sender ${sender} tells of the river, part ${n}.`, device }),
    });
    const { held, device: token, code } = (await answer.json()) as Answer;
    sent.push({ id, sender, status: answer.status, held, code, ms: performance.now() - began });
    return token ?? device;
  }

  const each = Array.from({ length: senders }, async (_, sender) => {
    if (sender === 0) {
      const device = await send(0, 0, undefined);
      await Promise.all(Array.from({ length: tipsOfFirstSender - 1 }, (_, n) => send(0, n + 1, device)));
      return;
    }
    // The other senders share the rest.
    const own = Math.floor((tips - tipsOfFirstSender + sender - 1) / (senders - 1));
    let device: string | undefined;
    for (let n = 0; n < own; n++) device = await send(sender, n, device);
  });
  await Promise.all(each);
  return sent;
}

type Queued = { id: string; created_at: string };

/** Reads all pages of a view of the tip queue. */
export async function readWholeQueue(moderator: SupabaseClient, view: string): Promise<Queued[]> {
  const all: Queued[] = [];
  for (;;) {
    const before = all.at(-1);
    const page = await callServer<Queued[]>(moderator, 'tip_queue', { filters: { view, before } });
    if (page.length === 0) return all;
    all.push(...page);
  }
}
