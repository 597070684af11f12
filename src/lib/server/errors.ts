import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  newRequestId,
  REQUEST_ID,
  requestHeader,
  requestId,
  underRequest,
} from '../../../packages/embedded-supabase/src/log/request-id.ts';
import { log } from '../data/log.ts';
import { bareHeaders } from '../http/security-headers.ts';
import { REFUSALS, SERVER } from '../i18n/cli.ts';
import { observe } from './metrics/requests.ts';

/** Gives a request the id that the log knows it by. What a client calls it counts for nothing. */
export function nameRequest(request: IncomingMessage): string {
  const id = newRequestId();
  request.headers[REQUEST_ID] = id;
  return id;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers a request. What goes wrong meanwhile is told to that visitor and to the log, and to nobody else. */
export function whileAnswering(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  underRequest(nameRequest(request), async () => {
    observe(request, response);
    await orSay(request, response, answer);
  });
}

/** The same within an answer, where nobody waits for the rest of it. */
export async function orSay(
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

/** What a person reads in place of a page. */
export type RefusalPage = { title: string; say: string; language?: 'en' | 'es' };

const pageOf = ({ title, say, language = 'en' }: RefusalPage) =>
  `<!doctype html><html lang="${language}">` +
  '<meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
  `<meta name="color-scheme" content="light dark"><title>${title}</title><h1>${title}</h1><p>${say}</p></html>`;

/**
 * Refuses a request in a sentence or a page, and its connection with it: what else comes over it is not read.
 * @param hearOut reads it and throws it away instead, because a browser that is still sending a form reads no answer
 */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  sentence: string | RefusalPage,
  hearOut = false,
): void {
  const isPage = typeof sentence !== 'string';
  response.writeHead(status, {
    'content-type': `text/${isPage ? 'html' : 'plain'}; charset=utf-8`,
    ...bareHeaders(),
    ...requestHeader(),
    ...(!hearOut && { connection: 'close' }),
  });
  response.end(isPage ? pageOf(sentence) : sentence, () => (hearOut ? request.resume() : request.destroy()));
}

/**
 * Says what nobody caught. Astro listens for such rejections too, which keeps Node from ending the process, and
 * passes over all that are not of its pages. A request's own takes nothing else with it; any other means that the
 * server is not whole any more, so it ends, and whoever runs it sees that and starts it again.
 */
export function watchFaults(): void {
  // Node writes warnings to the terminal, in lines that no reader of the log understands.
  process.removeAllListeners('warning').on('warning', ({ name, message }) => log.warn(`${name}: ${message}`));
  process.on('unhandledRejection', (error) => {
    log.error(SERVER.fault, { error });
    if (!requestId()) process.exit(1);
  });
}
