import { type Refusal, Refused, refusal } from '../../lib/http/errors.ts';

/** Why something failed, for whoever pressed. A fault of ours is reported to the console and told without its inside. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refused) return error.refusal;
  reportError(error);
  return refusal('internal');
}
