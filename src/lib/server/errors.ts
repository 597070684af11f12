import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  newRequestId,
  REQUEST_ID_HEADER,
  requestId,
  requestIdHeader,
  runWithRequestId,
} from 'embedded-supabase';
import { log } from '../data/log.ts';
import { defaultHeaders } from '../http/security-headers.ts';
import { REFUSALS, SERVER } from '../i18n/cli.ts';
import { observe } from './metrics/requests.ts';

/** Gives a request a new id for the log. An id that the client sent is ignored. */
export function assignRequestId(request: IncomingMessage): string {
  const id = newRequestId();
  request.headers[REQUEST_ID_HEADER] = id;
  return id;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers a request. An error becomes a response with status 500 and a log line, and affects no other request. */
export function handleRequest(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  runWithRequestId(assignRequestId(request), async () => {
    observe(request, response);
    await orRefuse(request, response, answer);
  });
}

/** Like `handleRequest`, for an answer whose promise the caller does not await. */
export async function orRefuse(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  try {
    await answer(request, response);
  } catch (error) {
    log.error(SERVER.fault, { error });
    if (response.headersSent) response.destroy();
    else refuse(request, response, 500, REFUSALS.withId(REFUSALS.internal, requestId() ?? ''));
  }
}

/** Content of an error page. */
type RefusalPage = { title: string; say: string; language?: 'en' | 'es' };

const pageOf = ({ title, say, language = 'en' }: RefusalPage) =>
  `<!doctype html><html lang="${language}">` +
  '<meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
  `<meta name="color-scheme" content="light dark"><title>${title}</title><h1>${title}</h1><p>${say}</p></html>`;

/**
 * Refuses a request with a sentence or a page.
 * @param readRest reads and discards the rest of the request and keeps the connection; browsers that are still sending a
 * form do not read the response otherwise
 */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  sentence: string | RefusalPage,
  readRest = false,
): void {
  const isPage = typeof sentence !== 'string';
  response.writeHead(status, {
    'content-type': `text/${isPage ? 'html' : 'plain'}; charset=utf-8`,
    ...defaultHeaders(),
    ...requestIdHeader(),
    ...(!readRest && { connection: 'close' }),
  });
  response.end(isPage ? pageOf(sentence) : sentence, () => (readRest ? request.resume() : request.destroy()));
}

/**
 * Logs unhandled rejections. Astro's own listener would keep Node running and ignores errors outside its pages. An
 * error of a request ends only that request. Any other means that the server is in an unknown state, so the process
 * exits and the supervisor restarts it.
 */
export function handleUncaughtErrors(): void {
  // Node would print warnings to stderr in a format that log readers cannot parse.
  process.removeAllListeners('warning').on('warning', ({ name, message }) => log.warn(`${name}: ${message}`));
  process.on('unhandledRejection', (error) => {
    log.error(SERVER.fault, { error });
    if (!requestId()) process.exit(1);
  });
}
