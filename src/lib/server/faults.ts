import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { REFUSALS, SERVER } from '../text/commands.ts';

const answering = new AsyncLocalStorage<IncomingMessage>();

/** Answers a request. What goes wrong meanwhile is told to that visitor and to the log, and to nobody else. */
export function whileAnswering(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): void {
  answering.run(request, async () => {
    try {
      await answer(request, response);
    } catch (error) {
      console.error(SERVER.fault, error);
      if (response.headersSent) response.destroy();
      else refuse(request, response, 500, REFUSALS.internal);
    }
  });
}

/**
 * Refuses a request in a sentence, and its connection with it: what else comes over it is not read.
 * @param hearOut reads it and throws it away instead, because a browser that is still sending a form reads no answer
 */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  sentence: string,
  hearOut = false,
): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(!hearOut && { connection: 'close' }),
  });
  response.end(sentence, () => (hearOut ? request.resume() : request.destroy()));
}

/**
 * Says what nobody caught. Astro listens for such rejections too, which keeps Node from ending the process, and
 * passes over all that are not of its pages. A request's own takes nothing else with it; any other means that the
 * server is not whole any more, so it ends, and whoever runs it sees that and starts it again.
 */
export function watchFaults(): void {
  process.on('unhandledRejection', (error) => {
    console.error(SERVER.fault, error);
    if (!answering.getStore()) process.exit(1);
  });
}
