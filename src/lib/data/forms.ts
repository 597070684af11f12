import type { Messages } from '../i18n/messages.ts';
import { type Refusal, Refused, refusal, sentenceOf } from '../i18n/refusals.ts';

/**
 * Reads a submitted form.
 * @throws Refused `invalid` if the body is not a form, `too_large` if it is too large
 */
export async function readForm(request: Request): Promise<FormData> {
  try {
    return await request.formData();
  } catch (error) {
    // Astro's error for a body without a declared length can only be recognised by its message.
    const isTooLarge = error instanceof Error && error.message.startsWith('Body size limit exceeded');
    throw new Refused(isTooLarge ? 'too_large' : 'invalid');
  }
}

/** Returns the text of a field, '' if it is missing. Converts the CR LF of forms to line feeds. */
export function fieldText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.replace(/\r\n?/g, '\n') : '';
}

/** Values of a form by field name. */
export type FormValues = Record<string, string>;

/** Reads the values that the form was loaded with, from its hidden field; null if it is not valid JSON. */
export function renderedValues(form: FormData): FormValues | null {
  try {
    return JSON.parse(fieldText(form, 'seen')) as FormValues;
  } catch {
    return null;
  }
}

/** Whether two forms have the same values in the fields of the second one. */
const sameValues = (a: FormValues | null, b: FormValues): boolean =>
  a !== null && Object.keys(b).every((name) => a[name] === b[name]);

/** Another person has changed the same fields since the form was loaded. */
class ConflictingValues extends Refused {
  /** Stored values that differ from the submitted ones, by field name. */
  readonly values: FormValues;
  constructor(values: FormValues) {
    super('conflict', { message: ({ settings }) => settings.conflict });
    this.values = values;
  }
}

/** Returns the values that another person saved, if an error is about them. */
export const meanwhileOf = (error: unknown): FormValues =>
  error instanceof ConflictingValues ? error.values : {};

/**
 * Requires that the stored values are those that the form was loaded with. Otherwise saving it would overwrite the change
 * of another person.
 * @param rendered values that the form was loaded with
 * @param stored current values
 * @param typed submitted values
 * @throws ConflictingValues
 */
export function requireUnchanged(rendered: FormValues | null, stored: FormValues, typed: FormValues): void {
  if (sameValues(rendered, stored)) return;
  const other = Object.entries(stored).filter(([name, value]) => typed[name] !== value);
  throw new ConflictingValues(Object.fromEntries(other));
}

/**
 * Returns whether the submitted values must be saved: not if they are stored already, because the form was sent twice or
 * another person saved the same.
 * @throws ConflictingValues as requireUnchanged
 */
export function mustSave(rendered: FormValues | null, stored: FormValues, typed: FormValues): boolean {
  if (sameValues(typed, stored)) return false;
  requireUnchanged(rendered, stored, typed);
  return true;
}

/** Error messages by field name. */
export type Problems<Field extends string = string> = Partial<Record<Field, string>>;

/** Why a form was rejected. */
export type RejectedForm = {
  refusal: Refusal;
  problems: Problems;
  /** Values that another person saved since the form was loaded, by field name. */
  meanwhile?: FormValues;
};

/**
 * Converts a refusal to a rejected form. If it names a field, its message belongs to that field.
 * @param fields field names of the form, where they differ from the database's
 */
export function rejectForm(
  reason: Refusal,
  messages: Messages,
  fields: Record<string, string> = {},
): RejectedForm {
  const field = reason.field && (fields[reason.field] ?? reason.field);
  return { refusal: reason, problems: field ? { [field]: sentenceOf(reason, messages) } : {} };
}

/** Returns the rejection for the fields with problems; null if there are none. */
export function rejectProblems(problems: Problems): RejectedForm | null {
  const present = Object.entries(problems).filter(([, sentence]) => sentence !== undefined);
  return present.length > 0 ? { refusal: refusal('invalid'), problems: Object.fromEntries(present) } : null;
}

/** Returns the message above a form: none if its fields have messages. */
export function formMessage(form: RejectedForm | undefined, messages: Messages): string | undefined {
  return form && Object.keys(form.problems).length === 0 ? sentenceOf(form.refusal, messages) : undefined;
}
