import { Refused, refusal } from './errors.ts';

/**
 * The fields of a form that was sent.
 * @throws Refused when the body is something else
 */
export async function readForm(request: Request): Promise<FormData> {
  try {
    return await request.formData();
  } catch {
    throw new Refused(refusal('invalid'));
  }
}
