import { LIMITS } from '../domain/limits.ts';
import type { OwnTip, TipState } from '../domain/tips.ts';
import type { Messages } from '../i18n/messages.ts';
import { type BackendClient, dataOf } from './result.ts';

/** Database function that returns the caller's tips, newest first. */
export const OWN_TIPS = 'my_tips';

/**
 * Returns the caller's tips.
 * @param tipId id of the only one to return
 * @throws Refused
 */
export async function readOwnTips(backend: BackendClient, tipId?: string): Promise<OwnTip[]> {
  return (await dataOf(backend.rpc(OWN_TIPS, tipId === undefined ? {} : { tip_id: tipId }))) as OwnTip[];
}

/** Returns the tips whose state changed, or whose update was published, since the last read. */
export function changedTips(before: OwnTip[], now: OwnTip[]): OwnTip[] {
  return now.filter((tip) => {
    const known = before.find(({ id }) => id === tip.id);
    return known && (known.state !== tip.state || (known.used_in === null && tip.used_in !== null));
  });
}

/** A tip in the form. */
export type TipValues = {
  /** Slug of the coverage that the tip is about; '' for none. */
  coverage: string;
  body: string;
  name: string;
  /** Whether the name may be published. */
  may_be_named: boolean;
  contact: string;
};

export type TipProblems = Partial<Record<keyof TipValues | 'photo', string>>;

export const EMPTY_TIP: TipValues = { coverage: '', body: '', name: '', may_be_named: false, contact: '' };

/** Whether the form has a field to show the refusal at. */
export const isTipField = (field: string | undefined): field is 'body' | 'name' | 'contact' | 'photo' =>
  field === 'body' || field === 'name' || field === 'contact' || field === 'photo';

/** Validates a tip by the rules of the database. */
export function tipProblems(
  messages: Pick<Messages, 'tips'>,
  { body, name, contact }: TipValues,
): TipProblems {
  const problems: TipProblems = {};
  for (const [field, text, most] of [
    ['body', body, LIMITS.tip_body],
    ['name', name, LIMITS.tip_name],
    ['contact', contact, LIMITS.tip_contact],
  ] as const) {
    const { length } = [...text.trim()];
    if (length > most) problems[field] = messages.tips.problems.tooLong(length, most);
  }
  if (body.trim() === '') problems.body = messages.tips.problems.empty;
  return problems;
}

/** Request body of the function `submit-tip`. */
export type TipRequest = TipValues & {
  id: string;
  photo?: { id: string; type: string; size: number };
  /** Device token from an earlier response, for counting the tips of a device. A form without scripts has none. */
  device?: string;
  /** Honeypot field that people do not see. */
  website?: string;
  /** Milliseconds between the first key press and submitting, if measured. */
  took_ms?: number;
};

/** Upload target of a photo. `again` requests a new one when it has expired. */
export type Upload = { bucket: string; path: string; token: string; again?: string };

/** Response of the function. */
export type TipResponse = {
  receipt: string;
  held: boolean;
  /** Upload target of the photo; null if there is none or it was already uploaded. */
  upload: Upload | null;
  /** Device token for the next tip. */
  device?: string;
};

/** The published update that uses the tip. */
export type TipUse = { slug: string; number: number };

/** Status of a tip, as an open receipt page polls it. */
export type TipProgress = { state: TipState; used_in: TipUse | null };

export const tipsPath = '/tips';
export const receiptPath = (receipt: string) => `${tipsPath}/${receipt}`;
export const receiptPhotoPath = (receipt: string) => `${receiptPath(receipt)}/photo`;
export const receiptStatePath = (receipt: string) => `${receiptPath(receipt)}/state`;

/** Headers of pages whose URL is a secret: no caching, indexing or referrer. */
export const SECRET_HEADERS = {
  'Cache-Control': 'private, no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/** Whether the text has the form of a receipt. */
export const isReceipt = (text: string) => /^[\w-]{32,128}$/.test(text);

const MAIL = /^[^\s@<>"',;]+@[^\s@<>"',;]+\.[^\s@<>"',;.]+$/;
const PHONE = /^\+?[\d\s().\-/]{6,}$/;

/** Minimum number of digits of a telephone number. Fewer are probably a time or a house number. */
const MIN_PHONE_DIGITS = 6;

/** Returns a mailto: or tel: link if the contact is nothing but an address or a number. */
export function contactHref(contact: string): string | null {
  const text = contact.trim();
  if (MAIL.test(text)) return `mailto:${encodeURIComponent(text).replace('%40', '@')}`;
  if (!PHONE.test(text)) return null;
  const digits = text.replace(/\D/g, '');
  if (digits.length < MIN_PHONE_DIGITS) return null;
  return `tel:${text.startsWith('+') ? '+' : ''}${digits}`;
}
