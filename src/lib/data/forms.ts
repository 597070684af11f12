import { type Refusal, Refused, refusal } from '../i18n/refusals.ts';

/**
 * The fields of a form that was sent.
 * @throws Refused `invalid` when the body is something else, `too_large` when there is too much of it
 */
export async function readForm(request: Request): Promise<FormData> {
  try {
    return await request.formData();
  } catch (error) {
    // Astro's own, of a body that does not say beforehand how long it is; it has no other mark.
    const isTooLarge = error instanceof Error && error.message.startsWith('Body size limit exceeded');
    throw new Refused(refusal(isTooLarge ? 'too_large' : 'invalid'));
  }
}

/** The text of a field, '' where there is none. Line breaks are line feeds: forms send them as CR LF. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : '';
}

/** What is wrong with the fields of a form, by their names. */
export type Problems<Field extends string = string> = Partial<Record<Field, string>>;

/** Why a form was not accepted. */
export type Rejected = { refusal: Refusal; problems: Problems };

/** A refusal; one that names a field of the form stands there. `fields`: what the form calls them, where it differs. */
export function rejected(reason: Refusal, fields: Record<string, string> = {}): Rejected {
  const field = reason.field && (fields[reason.field] ?? reason.field);
  return { refusal: reason, problems: field ? { [field]: reason.sentence } : {} };
}

/** What can be told without asking anybody; null when nothing is wrong. */
export function wrongFields(problems: Problems): Rejected | null {
  const wrong = Object.entries(problems).filter(([, sentence]) => sentence !== undefined);
  return wrong.length > 0 ? { refusal: refusal('invalid'), problems: Object.fromEntries(wrong) } : null;
}

/** The sentence that stands above the form: none where its fields have theirs. */
export function sentenceAbove(form: Rejected | undefined): string | undefined {
  return form && Object.keys(form.problems).length === 0 ? form.refusal.sentence : undefined;
}
