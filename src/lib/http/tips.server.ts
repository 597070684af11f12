import { createHmac, randomBytes } from 'node:crypto';
import type { APIContext } from 'astro';
import { fieldText, readForm } from '../data/forms.ts';
import { readerClient } from '../data/reader-client.server.ts';
import { dataOf, functionData } from '../data/result.ts';
import { serverBridge } from '../data/server-bridge.ts';
import { temporaryClient } from '../data/session.server.ts';
import { isReceipt, type TipResponse, type TipUse, type TipValues } from '../data/tips.ts';
import type { TipPhoto, TipState } from '../domain/tips.ts';
import type { Messages } from '../i18n/messages.ts';
import { type Refusal, Refused, sentenceOf } from '../i18n/refusals.ts';
import { imageOf, submittedFile } from './photo-forms.server.ts';

/** The submitted form without scripts. */
export type SubmittedTipForm = {
  text: TipValues;
  photo: File | null;
  /** A hidden field that only bots fill in. */
  website: string;
};

/** @throws Refused `invalid`, `too_large` */
export async function readTipForm(request: Request): Promise<SubmittedTipForm> {
  const form = await readForm(request);
  return {
    text: {
      coverage: fieldText(form, 'coverage'),
      body: fieldText(form, 'body'),
      name: fieldText(form, 'name'),
      may_be_named: form.has('may_be_named'),
      contact: fieldText(form, 'contact'),
    },
    photo: submittedFile(form, 'photo'),
    website: fieldText(form, 'website'),
  };
}

/** The newsroom has the tip. `photo`: whether its photo was sent too. */
type SentTip = Pick<TipResponse, 'receipt'> & { photo: 'none' | 'sent' | 'refused' | 'lost' };

/**
 * Sends the tip of a form without scripts. It belongs to no account, because the cached page is the same for everyone
 * and cannot announce that.
 * @throws Refused
 */
export async function sendTip(
  context: Pick<APIContext, 'clientAddress' | 'request'>,
  { text, photo, website }: SubmittedTipForm,
): Promise<SentTip> {
  const file = photo && (await readPhoto(photo));
  const id = (what: string) => idOf([what, text, photo?.name, photo?.size, context.clientAddress]);
  const backend = temporaryClient(context);
  const announced = file && { id: id('photo'), type: file.type, size: file.size };
  const { receipt, upload } = (await functionData(
    backend.functions.invoke('submit-tip', { body: { ...text, id: id('tip'), website, photo: announced } }),
  )) as TipResponse;
  if (!announced) return { receipt, photo: 'none' };
  if (!upload) return { receipt, photo: 'sent' };
  const storage = backend.storage.from(upload.bucket);
  const { error } = await storage.uploadToSignedUrl(upload.path, upload.token, file, {
    contentType: file.type,
  });
  // A form that is sent twice uploads its photo once: the second upload finds it there.
  const isLost = error && !('statusCode' in error && error.statusCode === '409');
  return { receipt, photo: isLost ? 'lost' : await processPhoto(announced.id, context.clientAddress) };
}

/** Processes the photo while the sender waits. If that fails, it is processed later. */
async function processPhoto(photo: string, address: string): Promise<SentTip['photo']> {
  const result = await serverBridge.processPhoto?.(photo, address);
  return result && 'status' in result && result.status?.state === 'refused' ? 'refused' : 'sent';
}

/** @throws Refused `unsupported_media` */
async function readPhoto(file: File): Promise<Blob> {
  const image = await imageOf(file);
  if (image) return image;
  throw new Refused('unsupported_media', {
    field: 'photo',
    message: ({ tips }) => tips.refused.unsupported_media,
  });
}

/** Random for each process, so that ids cannot be predicted. */
const SALT = randomBytes(32);
/**
 * The same form from the same address within this time is the same tip, because people press twice on a slow
 * connection. In milliseconds.
 */
const DUPLICATE_MS = 10 * 60_000;

/** A UUID derived from the submitted values (RFC 9562, version 8). */
function idOf(parts: unknown[]): string {
  const window = Math.floor(Date.now() / DUPLICATE_MS);
  const hex = createHmac('sha256', SALT)
    .update(JSON.stringify([window, ...parts]))
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The sentence of a refused tip: the field's own, or a special one for the code. */
export function tipSentence(messages: Messages, refusal: Refusal): string {
  const { code, field } = refusal;
  const own: Partial<Record<string, string>> = messages.tips.refused;
  return (field ? undefined : own[code]) ?? sentenceOf(refusal, messages);
}

/** Returns a tip by its receipt, or null. */
export async function readReceipt(receipt: string): Promise<Receipt | null> {
  if (!isReceipt(receipt)) return null;
  return (await dataOf(readerClient().rpc('tip_receipt', { receipt }))) as Receipt | null;
}

/** A tip as its sender sees it. */
type Receipt = {
  state: TipState;
  created_at: string;
  body: string;
  coverage: { slug: string; headline: string } | null;
  /** The published update that uses the tip. */
  used_in: TipUse | null;
  /** Null if none was sent, or the newsroom removed it. */
  photo: TipPhoto | null;
};
