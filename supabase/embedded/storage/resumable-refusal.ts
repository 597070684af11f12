import { logFault } from '../answers.ts';
import { asRefusal } from './storage-refused.ts';

/** As @tus/server wants one. */
export type Refusal = { status_code: number; body: string };

/** The refusal that an error stands for: the service's in its words, the protocol's server's in its own. */
export function refusal(error: Error | Refusal): Refusal {
  // 501 is what the protocol has and is not offered.
  if ('status_code' in error && (error.status_code < 500 || error.status_code === 501)) return error;
  const refused = asRefusal(error);
  if (refused) return { status_code: refused.status, body: refused.message };
  return { status_code: 500, body: `Something went wrong. (${logFault(error)})` };
}
