import { type Refusal, Refused, refusal, refusalOrThrow } from '../http/errors.ts';
import { readForm, textOf } from '../http/forms.ts';
import type { SurgeMode } from '../site/read.ts';
import { dataOf } from '../supabase/answer.ts';
import { Constants } from '../supabase/database.types.ts';
import { surge as words } from '../text/surge.ts';
import type { Backend } from './read.ts';

export const SURGE_MODES: readonly SurgeMode[] = Constants.public.Enums.surge_mode;

/**
 * Sets how readers follow, as a form says: every time that it is sent, because it may have been set otherwise meanwhile.
 * @returns why not, when it was refused
 */
export async function setSurge(backend: Backend, request: Request): Promise<Refusal | undefined> {
  try {
    const form = await readForm(request);
    const mode = SURGE_MODES.find((mode) => mode === textOf(form, 'mode'));
    if (!mode) throw new Refused(refusal('invalid', { field: 'mode', sentence: words.choose }));
    await dataOf(backend.rpc('set_surge', { op: crypto.randomUUID(), mode }));
    return undefined;
  } catch (error) {
    return refusalOrThrow(error);
  }
}
