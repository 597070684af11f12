import type { IncomingMessage, ServerResponse } from 'node:http';
import { BODY_LIMITS } from './bounds.ts';

/** What Node itself answers to a request that takes too long. */
const TIMED_OUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/**
 * Ends a request whose body arrives too slowly. Node has one time limit for all requests of a server, within which no
 * photo arrives from a phone on a poor connection.
 * @param carriesFile the body may take as long as it arrives at the minimum rate; any other has `wholeMs`
 */
export function limitBodyTime(
  request: IncomingMessage,
  response: ServerResponse,
  carriesFile: boolean,
  limits = BODY_LIMITS,
): void {
  if (!hasBody(request)) return;
  const { socket } = request;
  let seen = socket.bytesRead;
  let answeredAt: number | undefined;

  const isFastEnough = () => {
    const bytes = socket.bytesRead - seen;
    seen = socket.bytesRead;
    if (response.writableFinished) answeredAt ??= performance.now();
    const isLate = answeredAt !== undefined && performance.now() - answeredAt >= limits.answeredMs;
    return !isLate && bytes >= (limits.bytesPerSecond * limits.windowMs) / 1000;
  };
  const check = () => {
    if (request.complete) clearInterval(checking);
    else if (!carriesFile || !isFastEnough()) end();
  };
  const checking = setInterval(check, carriesFile ? limits.windowMs : limits.wholeMs).unref();
  const end = () => {
    if (!response.headersSent) socket.write(TIMED_OUT);
    socket.destroySoon();
  };
  request.once('close', () => clearInterval(checking));
}

const hasBody = ({ headers }: IncomingMessage) =>
  'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0;
