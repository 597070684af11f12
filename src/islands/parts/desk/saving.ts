import type { SaveAction } from '../../stores/save.ts';

/** Reads the save action from a submitted form: the pressed button and its fields. */
export function saveActionOf(form: FormData): SaveAction | null {
  const kind = form.get('saving');
  if (kind === 'publish' || kind === 'save' || kind === 'submit') return { kind };
  if (kind === 'schedule') return { kind, at: String(form.get('at') ?? '') };
  const as = form.get('as');
  if (kind !== 'change' || (as !== 'revision' && as !== 'clarification' && as !== 'correction')) return null;
  return { kind, as, note: String(form.get('note') ?? '') };
}
