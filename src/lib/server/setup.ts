import { refusalOrThrow } from '../http/errors.ts';
import { log } from '../log/log.ts';
import { offerSetup } from '../setup/offer.server.ts';
import { SERVER } from '../text/commands.ts';

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
