import { createHmac, randomBytes } from 'node:crypto';
import type { APIContext } from 'astro';
import { fileTypeFromBuffer } from 'file-type';
import { readForm, textOf } from '../data/forms.ts';
import { darkroomDoor } from '../data/image-processor.ts';
import { functionData } from '../data/result.ts';
import { passingClient } from '../data/session-client.server.ts';
import type { Taken, TipText } from '../data/tip-form.ts';
import { PHOTO_TYPES } from '../domain/photos.ts';
import { type Refusal, Refused, refusal } from '../i18n/refusals.ts';
import { tips as words } from '../i18n/tips.ts';

/** The plain form as it was sent. */
export type TipForm = {
  text: TipText;
  photo: File | null;
  /** Of the field that people neither see nor reach. */
  website: string;
};

/** @throws Refused `invalid`, `too_large` */
export async function readTipForm(request: Request): Promise<TipForm> {
  const form = await readForm(request);
  const photo = form.get('photo');
  return {
    text: {
      coverage: textOf(form, 'coverage'),
      body: textOf(form, 'body'),
      name: textOf(form, 'name'),
      may_name: form.has('may_name'),
      contact: textOf(form, 'contact'),
    },
    // A field without a file is sent as an empty one.
    photo: photo instanceof File && photo.size > 0 ? photo : null,
    website: textOf(form, 'website'),
  };
}

/** The tip is with the newsroom; of its photo only if one was sent. */
export type Received = Pick<Taken, 'receipt'> & { photo: 'none' | 'sent' | 'refused' | 'lost' };

/**
 * Sends the tip of a plain form, for whoever visits. It is tied to no account: a page that is the same for everybody
 * cannot say that it would be.
 * @throws Refused
 */
export async function sendTip(
  visit: Pick<APIContext, 'clientAddress' | 'request'>,
  { text, photo, website }: TipForm,
): Promise<Received> {
  const file = photo && (await readPhoto(photo));
  const id = (what: string) => idOf([what, text, photo?.name, photo?.size, visit.clientAddress]);
  const backend = passingClient(visit);
  const announced = file && { id: id('photo'), type: file.type, size: file.size };
  const { receipt, upload } = (await functionData(
    backend.functions.invoke('submit-tip', { body: { ...text, id: id('tip'), website, photo: announced } }),
  )) as Taken;
  if (!announced) return { receipt, photo: 'none' };
  if (!upload) return { receipt, photo: 'sent' };
  const storage = backend.storage.from(upload.bucket);
  const { error } = await storage.uploadToSignedUrl(upload.path, upload.token, file, {
    contentType: file.type,
  });
  return { receipt, photo: error ? 'lost' : await look(announced.id, visit.clientAddress) };
}

/** Has the photo looked at while its sender is here; where that fails, it is done later. */
async function look(photo: string, address: string): Promise<Received['photo']> {
  const looked = await darkroomDoor.develop?.(photo, address);
  return looked && 'standing' in looked && looked.standing?.state === 'refused' ? 'refused' : 'sent';
}

/** The photo of a form, by what it is and not by what it is called. @throws Refused `unsupported_media` */
async function readPhoto(file: File): Promise<Blob> {
  const bytes = await file.arrayBuffer();
  const type = (await fileTypeFromBuffer(bytes))?.mime;
  if (type && PHOTO_TYPES.includes(type)) return new Blob([bytes], { type });
  throw new Refused(
    refusal('unsupported_media', { field: 'photo', sentence: words.refused.unsupported_media }),
  );
}

/** Of this process: nobody can tell beforehand which id a text will have. */
const SALT = randomBytes(32);
/** So long the same form from the same address is the same tip: who waits on a bad line presses twice. */
const SAME_MS = 10 * 60_000;

/** A UUID made of what was sent (RFC 9562, version 8). */
function idOf(parts: unknown[]): string {
  const window = Math.floor(Date.now() / SAME_MS);
  const hex = createHmac('sha256', SALT)
    .update(JSON.stringify([window, ...parts]))
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What a refusal of a tip says: the field's own sentence where there is a field, else what to do here. */
export function sentenceOf({ code, field, sentence }: Refusal): string {
  const own: Partial<Record<string, string>> = words.refused;
  return field ? sentence : (own[code] ?? sentence);
}
