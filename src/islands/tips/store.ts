import { isTipField, type TipProblems, type TipValues } from '../../lib/data/tips.ts';
import { errors, quoting } from '../../lib/i18n/en/errors.ts';
import { tips } from '../../lib/i18n/en/tips.ts';
import type { Language } from '../../lib/i18n/language.ts';
import { islandMessages } from '../../lib/i18n/messages.ts';
import { sentenceOf } from '../../lib/i18n/refusals.ts';
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

const messagesOf = islandMessages({ language: 'en' as Language, errors, quoting, tips });

/** Error of a refused tip, for its field or the form. */
export function refusedTip(error: unknown, language: Language): RefusedTip {
  const messages = messagesOf(language);
  const refusal = refusalOf(error);
  const { code, field } = refusal;
  const sentence = sentenceOf(refusal, messages);
  if (isTipField(field)) return { step: 'writing', problems: { [field]: sentence } };
  const own: Partial<Record<string, string>> = messages.tips.refused;
  return { step: 'writing', problems: {}, sentence: own[code] ?? sentence };
}
