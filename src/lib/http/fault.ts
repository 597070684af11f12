import { newRequestId, requestId, underRequest } from '../../../supabase/log/request.ts';
import { log } from '../log/log.ts';
import { SERVER } from '../text/commands.ts';

/**
 * Puts a fault of ours into the log.
 * @returns the id that it has there, which is all that anybody else is told: that of the request
 */
export function logFault(error: unknown): string {
  const id = requestId() ?? newRequestId();
  underRequest(id, () => log.error(SERVER.fault, { error }));
  return id;
}
