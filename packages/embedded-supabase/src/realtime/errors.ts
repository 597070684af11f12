import { isDatabaseError, Unavailable } from '../engine/errors.ts';
import { logError } from '../gateway/responses.ts';
import { TokenRefused } from '../tokens.ts';

/** Why a join is refused, in the words of Supabase's own server: a code and a sentence. */
export class JoinError extends Error {
  override name = 'JoinError';
}

export const readDenied = (topic: string) =>
  new JoinError(`Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`);

/** In Supabase's words: the answer of a project whose *Allow public access* is off. */
export const PRIVATE_ONLY = 'This project only allows private channels';

export const TOO_MANY_MESSAGES = 'Too many messages per second';

/** Whether the database refused the session itself, which has ended (the function that PostgREST asks first). */
export const isSignedOut = (error: unknown) => isDatabaseError(error) && error.code.startsWith('PT4');

/** Message for the client, without internal details. */
export function joinErrorOf(error: unknown, topic: string): string {
  if (error instanceof JoinError) return error.message;
  if (error instanceof TokenRefused) {
    return error.expired
      ? 'InvalidJWTToken: Token has expired'
      : 'JwtSignatureError: Failed to validate JWT signature';
  }
  if (isSignedOut(error)) return readDenied(topic).message;
  if (!(error instanceof Unavailable)) logError(error);
  return 'UnableToConnectToProject: Realtime was unable to connect to the project database';
}
