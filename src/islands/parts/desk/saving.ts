import type { Saving } from '../../stores/save.ts';

/** Which way of saving a form was sent with: the button that was pressed, and what stands beside it. */
export function savingOf(form: FormData): Saving | null {
  const kind = form.get('saving');
  if (kind === 'publish' || kind === 'save' || kind === 'submit') return { kind };
  if (kind === 'schedule') return { kind, at: String(form.get('at') ?? '') };
  const as = form.get('as');
  if (kind !== 'change' || (as !== 'revision' && as !== 'clarification' && as !== 'correction')) return null;
  return { kind, as, note: String(form.get('note') ?? '') };
}
