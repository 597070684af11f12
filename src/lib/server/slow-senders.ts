import type { IncomingMessage, ServerResponse } from 'node:http';
import { BODY_BOUNDS } from './bounds.ts';

/** As Node says it of requests that it gives up itself. */
const GIVEN_UP = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

/**
 * Gives a request up whose body does not come. Node knows one bound for all that a server is sent, by which no file
 * arrives over a phone's line.
 * @param carriesFile it may take as long as bytes keep coming, until it is answered
 */
export function boundBody(
  request: IncomingMessage,
  response: ServerResponse,
  carriesFile: boolean,
  bounds = BODY_BOUNDS,
): void {
  if (!hasBody(request)) return;
  const { socket } = request;
  let seen = socket.bytesRead;
  let answeredAt: number | undefined;

  const mayGoOn = () => {
    if (!carriesFile || socket.bytesRead === seen) return false;
    seen = socket.bytesRead;
    if (response.writableFinished) answeredAt ??= performance.now();
    return answeredAt === undefined || performance.now() - answeredAt < bounds.answeredMs;
  };
  const looking = setInterval(
    () => {
      if (request.complete) clearInterval(looking);
      else if (!mayGoOn()) giveUp();
    },
    carriesFile ? bounds.nextMs : bounds.wholeMs,
  ).unref();
  const giveUp = () => {
    if (!response.headersSent) socket.write(GIVEN_UP);
    socket.destroySoon();
  };
  request.once('close', () => clearInterval(looking));
}

const hasBody = ({ headers }: IncomingMessage) =>
  'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0;
