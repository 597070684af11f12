import { connectOnce } from './postgres-check.ts';

type Server = { url: string; connection: Record<string, string | number>; pauseS: number };

/**
 * A connection that only listens. The driver makes a new one when it is lost, at every pause.
 * @param onListening runs whenever one begins to listen
 * @returns what ends it
 */
export async function openListener(
  { url, connection, pauseS }: Server,
  channel: string,
  onPayload: (payload: string) => void,
  onListening: () => void,
): Promise<() => Promise<void>> {
  const sql = connectOnce(url, connection, { backoff: () => pauseS });
  await sql.listen(channel, onPayload, onListening);
  return () => sql.end({ timeout: 1 });
}
