import type { ServerResponse } from 'node:http';
import { log } from '../data/log.ts';
import { offerSetup } from '../data/setup.server.ts';
import { SERVER } from '../i18n/cli.ts';
import { refusalOrThrow } from '../i18n/refusals.ts';
import type { BackendAddress, Launch } from './backend-process.ts';

/**
 * Logs the address and the code for creating the first owner, while there is none. A failing backend does not stop the
 * start, because readers can still be served.
 */
export async function announceSetup(siteUrl: string): Promise<void> {
  try {
    const code = await offerSetup();
    if (code) log.info(SERVER.setup(`${siteUrl}/setup`, code));
  } catch (error) {
    refusalOrThrow(error);
    log.warn(SERVER.setupUnknown);
  }
}

/** Where the embedded backend delivers mail, as a sentence for the console. */
export function mailMessage(
  { smtpUrl }: { smtpUrl: string | undefined },
  { url }: BackendAddress,
  { mailbox }: Launch,
) {
  if (smtpUrl) return undefined;
  return mailbox ? SERVER.mailbox(`${url}/mailbox`) : SERVER.noMail;
}

/**
 * Resolves when the written bytes have left, or the client has disconnected. Astro reads the stream of a response as
 * fast as it can, so long responses await this before each chunk.
 */
export const drainOf = (response: ServerResponse) => (): Promise<void> =>
  new Promise((resolve) => {
    if (!response.writableNeedDrain || response.destroyed) return resolve();
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
