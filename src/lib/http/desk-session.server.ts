import { type Session, sessionOf } from '../data/session.server.ts';
import { type Refusal, refusal, refusalOrThrow } from '../i18n/refusals.ts';

/**
 * The session of a page whose form must not be lost: whoever is nobody now, or cannot be told to be anybody, typed it all
 * the same.
 * @param sentence said to whoever is signed out
 */
export function openSession(locals: App.Locals, sentence: string): { session?: Session; refused?: Refusal } {
  try {
    const session = sessionOf(locals);
    return session.person ? { session } : { refused: refusal('signed_out', { sentence }) };
  } catch (error) {
    return { refused: refusalOrThrow(error) };
  }
}
