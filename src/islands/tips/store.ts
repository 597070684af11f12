import { isTipField, type TipProblems, type TipValues } from '../../lib/data/tip-form.ts';
import { tips as messages } from '../../lib/i18n/tips.ts';
import { refusalOf } from '../desk/task.ts';

/** Progress of a tip. */
export type SubmissionStatus =
  | RefusedTip
  /** `isWaiting`: there is no answer yet, and sending is repeated. `isStored`: the tip survives this page. */
  | { step: 'sending'; isWaiting: boolean; isStored: boolean }
  /** `isAnonymous`: the tip was meant for an account, but the person is signed out. */
  | { step: 'received'; receipt: string; photo: TipPhotoStatus; isStored: boolean; isAnonymous: boolean };

/** The form is open, possibly with errors. */
export type RefusedTip = {
  step: 'writing';
  problems: TipProblems;
  sentence?: string | undefined;
  /** Refused text that is not in the form. */
  text?: TipValues;
};

/** Progress of the photo: none, the uploaded share, waiting for a connection, or the result. */
export type TipPhotoStatus = 'none' | number | 'waiting' | 'arrived' | 'refused' | 'lost';

/** Error of a refused tip, for its field or the form. */
export function refusedTip(error: unknown): RefusedTip {
  const { code, field, sentence } = refusalOf(error);
  if (isTipField(field)) return { step: 'writing', problems: { [field]: sentence } };
  const own: Partial<Record<string, string>> = messages.refused;
  return { step: 'writing', problems: {}, sentence: own[code] ?? sentence };
}
