import { LIMITS } from '../domain/limits.ts';
import type { TipState } from '../domain/tips.ts';
import { tips as words } from '../i18n/tips.ts';

/** A tip while it is being written: nothing null. */
export type TipText = {
  /** The slug of the coverage that it is about; '' for none. */
  coverage: string;
  body: string;
  name: string;
  /** What is published of it may carry the name. */
  may_name: boolean;
  contact: string;
};

export type TipProblems = Partial<Record<keyof TipText | 'photo', string>>;

export const NO_TIP: TipText = { coverage: '', body: '', name: '', may_name: false, contact: '' };

/** The refusals that a field can say where it stands. */
export const isTipField = (field: string | undefined): field is 'body' | 'name' | 'contact' | 'photo' =>
  field === 'body' || field === 'name' || field === 'contact' || field === 'photo';

/** What the database would refuse, told before it is asked. */
export function tipProblems({ body, name, contact }: TipText): TipProblems {
  const problems: TipProblems = {};
  for (const [field, text, most] of [
    ['body', body, LIMITS.tip_body],
    ['name', name, LIMITS.tip_name],
    ['contact', contact, LIMITS.tip_contact],
  ] as const) {
    const { length } = [...text.trim()];
    if (length > most) problems[field] = words.problems.tooLong(length, most);
  }
  if (body.trim() === '') problems.body = words.problems.empty;
  return problems;
}

/** What the function `submit-tip` is sent. */
export type SentTip = TipText & {
  id: string;
  photo?: { id: string; type: string; size: number };
  /** By which the tips of one device are counted: what an earlier answer gave it. A plain form has none. */
  device?: string;
  /** Of a field that people neither see nor reach. */
  website?: string;
  /** Milliseconds from the first key to Send, where that was seen. */
  took_ms?: number;
};

/** Where a photo goes. `again`: by which another place is asked for when this one is good no more. */
export type Upload = { bucket: string; path: string; token: string; again?: string };

/** What it answers. */
export type Taken = {
  receipt: string;
  held: boolean;
  /** Where the photo goes; null when there is none, or it is there already. */
  upload: Upload | null;
  /** What this device is counted by from now on. */
  device?: string;
};

/** Where a tip's words came out, once readers may see that. */
export type Used = { slug: string; number: number };

/** What became of a tip, as an open page asks for it. */
export type Fate = { state: TipState; used: Used | null };

export const tipsPath = '/tips';
export const receiptPath = (receipt: string) => `${tipsPath}/${receipt}`;
export const receiptStatePath = (receipt: string) => `${receiptPath(receipt)}/state`;

/** Of an address that is a secret: no cache, index or other site is told it. */
export const SECRET_HEADERS = {
  'Cache-Control': 'private, no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/** Whether a text can be a receipt at all. */
export const isReceipt = (text: string) => /^[\w-]{32,128}$/.test(text);

const MAIL = /^[^\s@<>"',;]+@[^\s@<>"',;]+\.[^\s@<>"',;.]+$/;
const PHONE = /^\+?[\d\s().\-/]{6,}$/;

/** Fewer digits reach nobody: more likely they are a time or a house number. */
const LEAST_DIGITS = 6;

/** How a sender is reached by a press, where what they gave is an address or a number and nothing else. */
export function contactHref(contact: string): string | null {
  const text = contact.trim();
  if (MAIL.test(text)) return `mailto:${encodeURIComponent(text).replace('%40', '@')}`;
  if (!PHONE.test(text)) return null;
  const digits = text.replace(/\D/g, '');
  if (digits.length < LEAST_DIGITS) return null;
  return `tel:${text.startsWith('+') ? '+' : ''}${digits}`;
}
