import { type Session, sessionOf } from '../data/session.server.ts';
import { type Refusal, refusal, refusalOrThrow } from '../i18n/refusals.ts';

/**
 * The session for a form whose text must not be lost: returns a refusal instead of throwing, so that the page can show
 * the form again.
 * @param sentence for a person who is signed out
 */
export function openSession(locals: App.Locals, sentence: string): { session?: Session; refused?: Refusal } {
  try {
    const session = sessionOf(locals);
    return session.person ? { session } : { refused: refusal('signed_out', { sentence }) };
  } catch (error) {
    return { refused: refusalOrThrow(error) };
  }
}
