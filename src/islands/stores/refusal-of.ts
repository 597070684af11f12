import { type Refusal, Refused, refusal } from '../../lib/http/errors.ts';

/** Error to show for a failed operation. Unexpected errors are reported to the console and shown without details. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  reportError(error);
  return refusal('internal');
}
