import { type Refusal, refusalOrThrow } from '../http/errors.ts';
import { readForm } from '../http/forms.ts';
import { dataOf } from '../supabase/answer.ts';
import type { Backend } from './read.ts';

/**
 * Saves what an owner's form says of the whole site.
 * @returns why not, when it was refused
 */
export async function saveSite(backend: Backend, request: Request): Promise<Refusal | undefined> {
  try {
    const form = await readForm(request);
    const content = { keeps_copies: form.has('keeps_copies') };
    await dataOf(backend.rpc('save_site', { op: crypto.randomUUID(), content }));
    return undefined;
  } catch (error) {
    return refusalOrThrow(error);
  }
}
