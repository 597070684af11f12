import { Refused, refusal } from './errors.ts';

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
