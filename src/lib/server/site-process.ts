import { log } from '../data/log.ts';
import { SERVER } from '../i18n/cli.ts';
import { joinBackend } from './backend.ts';
import { mustBeBuilt, NotWarm } from './build/build-id.ts';
import { logFailure } from './failure.ts';
import { HANDING_OVER, type Leaving, listen } from './listening.ts';
import { openOuterServer } from './outer-server.ts';
import { readSettings } from './settings.ts';
import { openSite, type Site } from './site.ts';
import { announceSetup } from './startup-messages.ts';
import { onStop } from './stopping.ts';
import { beat } from './supervisor/heartbeat.ts';
import {
  ANNOUNCE,
  BEGIN,
  type Begin,
  FOUND,
  type Found,
  hear,
  LEAVE,
  PORT_FD,
} from './supervisor/site-messages.ts';

/* The site as a child process of the supervisor (supervisor/main.ts), which holds the port and runs the backend. */
beat();
const begin = hear<Begin>(BEGIN);
const found = hear<Found>(FOUND);
const announce = hear(ANNOUNCE);
const leave = hear(LEAVE);

async function start({ url, behind }: Begin): Promise<Site> {
  mustBeBuilt();
  const settings = readSettings(process.env);
  const listening = openOuterServer(url);
  const takePort = () => listen(listening, { fd: PORT_FD });
  if (!behind) await takePort();
  const site = await openSite(settings, listening, async () =>
    joinBackend(settings.backend, (await found).backend),
  );
  if (behind) {
    if (!(await site.warm())) throw new NotWarm(SERVER.notWarm);
    await takePort();
  }
  return site;
}

try {
  const starting = begin.then(start);
  const stop = async (leaving?: Leaving) => (await starting.catch(() => undefined))?.stop(leaving);
  onStop(() => stop());
  void leave.then(async () => {
    try {
      await stop(HANDING_OVER);
      process.exit(0);
    } catch (error) {
      log.error(SERVER.notStopped, { error });
      process.exit(1);
    }
  });
  const site = await starting;
  process.send?.({ type: 'ready' });
  await announce;
  await announceSetup(site.siteUrl);
} catch (error) {
  logFailure(error);
  process.exit(1);
}
