import { tips as words } from '../../lib/text/tips.ts';
import type { TipProblems } from '../../lib/tips/tip.ts';
import { refusalOf } from './refusal-of.ts';

/** How far a tip is. */
export type TipStatus =
  | { step: 'writing'; problems: TipProblems; sentence?: string }
  /** `waits`: nobody answers, and it is tried again. */
  | { step: 'sending'; waits: boolean }
  | { step: 'taken'; receipt: string; photo: TipPhoto };

/** Of the photo: none, the share of it that is sent, waiting for the line, or what became of it. */
export type TipPhoto = 'none' | number | 'waiting' | 'arrived' | 'refused';

/** A tip that was refused, to be written on: the field says why, or the form does. */
export function refusedTip(error: unknown): TipStatus {
  const { code, field, sentence } = refusalOf(error);
  const isOurs = field === 'body' || field === 'name' || field === 'contact' || field === 'photo';
  if (isOurs) return { step: 'writing', problems: { [field]: sentence } };
  const own: Partial<Record<string, string>> = words.refused;
  return { step: 'writing', problems: {}, sentence: own[code] ?? sentence };
}
