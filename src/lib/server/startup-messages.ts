import type { ServerResponse } from 'node:http';
import { log } from '../data/log.ts';
import { offerSetup } from '../data/setup.server.ts';
import { SERVER } from '../i18n/cli.ts';
import { refusalOrThrow } from '../i18n/refusals.ts';
import type { BackendAddress, Launch } from './backend-process.ts';

/**
 * Prints where and with which code the first owner is made, while there is none. A newsroom that cannot be asked is
 * no reason not to start: its readers get what there is.
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

/** What becomes of the embedded backend's mails, for the person at the keyboard. */
export function mailsOf(
  { smtpUrl }: { smtpUrl: string | undefined },
  { url }: BackendAddress,
  { mailbox }: Launch,
) {
  if (smtpUrl) return undefined;
  return mailbox ? SERVER.mailbox(`${url}/mailbox`) : SERVER.noMail;
}

/**
 * Waits until what was written to an answer is on its way, or nobody takes it any more. Astro writes an answer's stream
 * as fast as it can be read, whatever becomes of it: a long one asks this before each piece.
 */
export const takenOf = (response: ServerResponse) => (): Promise<void> =>
  new Promise((resolve) => {
    if (!response.writableNeedDrain || response.destroyed) return resolve();
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
