import { LIMITS } from '../limits.ts';
import type { Database } from '../supabase/database.types.ts';
import { tips as words } from '../text/tips.ts';

export type TipState = Database['public']['Enums']['tip_state'];

/** A tip while it is being written: nothing null. */
export type TipText = {
  /** The slug of the coverage that it is about; '' for none. */
  coverage: string;
  body: string;
  name: string;
  contact: string;
};

export type TipProblems = Partial<Record<keyof TipText | 'photo', string>>;

export const NO_TIP: TipText = { coverage: '', body: '', name: '', contact: '' };

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
  /** By which the tips of one device are counted; a plain form has none. */
  device?: string;
};

/** What it answers. */
export type Taken = {
  receipt: string;
  held: boolean;
  /** Where the photo goes; null when there is none, or it is there already. */
  upload: { bucket: string; path: string; token: string } | null;
};

export const tipsPath = '/tips';
export const receiptPath = (receipt: string) => `${tipsPath}/${receipt}`;

/** Whether a text can be a receipt at all. */
export const isReceipt = (text: string) => /^[\w-]{32,128}$/.test(text);
