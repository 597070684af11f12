import { desk as words } from '../../../lib/text/desk.ts';
import type { Saving, Sent } from '../../stores/save.ts';

/** Which way of saving a form was sent with: the button that was pressed, and what stands beside it. */
export function savingOf(form: FormData): Saving | null {
  const kind = form.get('saving');
  if (kind === 'publish' || kind === 'save' || kind === 'submit') return { kind };
  if (kind === 'schedule') return { kind, at: String(form.get('at') ?? '') };
  const as = form.get('as');
  if (kind !== 'change' || (as !== 'revision' && as !== 'clarification' && as !== 'correction')) return null;
  return { kind, as, note: String(form.get('note') ?? '') };
}

/** What a saving has come to, in a sentence. */
export function sentenceOf(what: Sent): string {
  return what.kind === 'published' ? words.status.sent.published(what.number) : words.status.sent[what.kind];
}
