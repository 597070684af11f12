import { settlesWithin } from '../data/fetch-timeout.ts';
import { SERVER } from '../i18n/cli.ts';
import { announceSetup, connectBackend } from './backend.ts';
import { assertBuilt, NotReady } from './build/build-id.ts';
import { HANDOVER, listen, type Shutdown } from './listening.ts';
import { openOuterServer } from './outer-server.ts';
import { exitAfter, logFailure, onStop } from './program.ts';
import { readServerSettings } from './settings.ts';
import { openSite, type RunningSite } from './site.ts';
import {
  ANNOUNCE,
  BACKEND_READY,
  type BackendReady,
  LEAVE,
  nextMessage,
  PORT_FD,
  START,
  type Start,
} from './supervisor/site-messages.ts';
import { sendSiteHeartbeats } from './supervisor/supervised-process.ts';

/* The site as a child process of the supervisor (supervisor/main.ts), which holds the port and runs the backend. */
sendSiteHeartbeats();
const begin = nextMessage<Start>(START);
const backendReady = nextMessage<BackendReady>(BACKEND_READY);
const announce = nextMessage(ANNOUNCE);
const leave = nextMessage(LEAVE);

/**
 * The first process opens the port when its pages are rendered, so that the first readers do not wait, but after this
 * time in any case: a backend may upgrade a large database for minutes. In milliseconds.
 */
const OPEN_WITHIN_MS = 15_000;

async function start({ url, role }: Start): Promise<RunningSite> {
  assertBuilt();
  const settings = readServerSettings(process.env);
  const listening = openOuterServer(url);
  const openPort = () => listen(listening, { fd: PORT_FD });
  if (role === 'restarted') await openPort();
  const opening = openSite(settings, listening, async () =>
    connectBackend(settings.backend, (await backendReady).backend),
  );
  const warm = async () => (await opening).warm();
  if (role === 'first') {
    // A failed start does not open the port.
    if (await settlesWithin(OPEN_WITHIN_MS, warm())) await opening;
    await openPort();
  } else if (role === 'successor') {
    if (!(await warm())) throw new NotReady(SERVER.notReady);
    await openPort();
  }
  return opening;
}

try {
  const starting = begin.then(start);
  const stop = async (leaving?: Shutdown) => (await starting.catch(() => undefined))?.stop(leaving);
  onStop(() => stop());
  void leave.then(() => exitAfter(() => stop(HANDOVER)));
  const site = await starting;
  process.send?.({ type: 'ready' });
  await announce;
  await announceSetup(site.siteUrl);
} catch (error) {
  logFailure(error);
  process.exit(1);
}
