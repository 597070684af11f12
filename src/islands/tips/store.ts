import { isTipField, type TipProblems, type TipText } from '../../lib/data/tip-form.ts';
import { tips as messages } from '../../lib/i18n/tips.ts';
import { refusalOf } from '../desk/task.ts';

/** How far a tip is. */
export type TipStatus =
  | RefusedTip
  /** `waits`: nobody answers, and it is tried again. `isKept`: this device has it, not only the page. */
  | { step: 'sending'; waits: boolean; isKept: boolean }
  /** `isApart`: it was to be in somebody's account, and they are signed out. */
  | { step: 'taken'; receipt: string; photo: TipPhoto; isKept: boolean; isApart: boolean };

/** To be written, or written on: what is wrong with it, if anything. */
export type RefusedTip = {
  step: 'writing';
  problems: TipProblems;
  sentence?: string | undefined;
  /** What was refused, for where the form does not hold it. */
  text?: TipText;
};

/** Of the photo: none, the share of it that is sent, waiting for the line, or what became of it. */
export type TipPhoto = 'none' | number | 'waiting' | 'arrived' | 'refused' | 'lost';

/** A tip that was refused, to be written on: the field says why, or the form does. */
export function refusedTip(error: unknown): RefusedTip {
  const { code, field, sentence } = refusalOf(error);
  if (isTipField(field)) return { step: 'writing', problems: { [field]: sentence } };
  const own: Partial<Record<string, string>> = messages.refused;
  return { step: 'writing', problems: {}, sentence: own[code] ?? sentence };
}
