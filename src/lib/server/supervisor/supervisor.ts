import { type BackendAddress, keepBackend, LONGEST_END_MS } from '../backend-process.ts';
import type { BackendChoice } from '../settings.ts';
import { mailsOf } from '../startup-messages.ts';
import type { Message, Said } from './child.ts';
import { type HeldPort, holdPort } from './port.ts';
import { ANNOUNCE, type Found } from './site-messages.ts';
import { forkSite } from './site-task.ts';
import { type Kept, keepRunning, type Pauses } from './supervised-child.ts';
import { openRenewing } from './upgrade.ts';

export type Supervising = {
  /** @throws SettingsError */
  read(): Said;
  say(sentence: string): void;
  /** Aborts the start. */
  signal: AbortSignal;
  pauses?: Pauses;
  /** Maximum time without a heartbeat for each process, in ms. */
  silence?: { site: number; backend: number };
};

export type Supervised = {
  /** Origin on which it listens. */
  url: string;
  /** Public address of the site. */
  siteUrl: string;
  /** A sentence that says where mails are delivered; undefined when it is configured elsewhere. */
  mails: string | undefined;
  /** Lets the site log the address of the setup page. */
  announce(): void;
  /** Starts the build that is on the disk now, and then moves traffic to it. */
  renew(): Promise<void>;
  stop(): Promise<void>;
  /** Kills all processes. */
  kill(): void;
};

/** A page takes a second at most. A query in PGlite blocks the backend's process, and some are long. */
const SILENCE = { site: 30_000, backend: 90_000 };
/** Timeouts for starting and stopping a site process, in milliseconds. */
const SITE_START_MS = 120_000;
const SITE_END_MS = 20_000;

/**
 * Holds the port and runs backend and site.
 * @throws SettingsError, PortTaken, BackendFailed, or NotUp of a site that has logged its reason; all processes are
 * stopped then
 */
export async function supervise(supervising: Supervising): Promise<Supervised> {
  const { say } = supervising;
  let said = supervising.read();
  const port = await holdPort(said.settings.host, said.settings.port, said.environment);
  const siteUrl = said.settings.siteUrl ?? port.url;
  const parts = await startBoth(supervising, () => said, port, siteUrl).catch((error: unknown) => {
    port.release();
    throw error;
  });
  const { site, backend, address } = parts;
  const chosen = embedded(said.settings.backend);
  const renewing = await openRenewing({
    ...parts,
    said,
    read: supervising.read,
    adopt: (next) => {
      said = next;
    },
    say,
  });
  return {
    url: port.url,
    siteUrl,
    mails: chosen && address && mailsOf(chosen, address, {}),
    announce: () => site.current()?.process.send({ type: ANNOUNCE }, () => {}),
    renew: renewing.renew,
    async stop() {
      // Releases the port first, so that new connections are refused instead of queued.
      port.release();
      await renewing.stop();
      await site.stop(SITE_END_MS);
      await backend?.stop(LONGEST_END_MS);
    },
    kill() {
      renewing.kill();
      site.kill();
      backend?.kill();
    },
  };
}

export type Both = {
  site: Kept<Message>;
  /** Absent for a hosted project. */
  backend: Kept<Message> | undefined;
  address: BackendAddress | undefined;
};

/** Starts both at the same time: the site opens the port at once, and its requests wait for the backend. */
async function startBoth(
  { say, signal, pauses, silence = SILENCE }: Supervising,
  said: () => Said,
  port: HeldPort,
  siteUrl: string,
): Promise<Both> {
  const off = new AbortController();
  const task = { say, pauses, signal: AbortSignal.any([signal, off.signal]) };
  const found = Promise.withResolvers<Found>();
  let site: Kept<Message> | undefined;

  async function startSite() {
    site = await keepRunning({
      ...task,
      name: 'site',
      silence: silence.site,
      longest: SITE_START_MS,
      fork: () =>
        forkSite({
          environment: said().environment,
          fd: port.fd,
          url: port.url,
          behind: site?.current() !== undefined,
          found: found.promise,
        }),
    });
    return site;
  }

  async function startBackend() {
    const chosen = embedded(said().settings.backend);
    const started =
      chosen &&
      (await keepBackend({
        ...task,
        silence: silence.backend,
        launch: { siteUrl, backups: true },
        choice: () => embedded(said().settings.backend) ?? chosen,
      }));
    found.resolve({ backend: started?.address });
    return started;
  }

  const starting = [startBackend(), startSite()] as const;
  let wrong: { error: unknown } | undefined;
  for (const one of starting) {
    one.catch((error: unknown) => {
      wrong ??= { error };
      off.abort();
    });
  }
  const [backendUp, siteUp] = await Promise.allSettled(starting);
  const backend = backendUp.status === 'fulfilled' ? backendUp.value : undefined;
  if (wrong || siteUp.status === 'rejected') {
    if (siteUp.status === 'fulfilled') await siteUp.value.stop(SITE_END_MS);
    await backend?.kept.stop(LONGEST_END_MS);
    throw wrong?.error;
  }
  return { site: siteUp.value, backend: backend?.kept, address: backend?.address };
}

/** The choice of an embedded backend; undefined for a hosted project. */
export const embedded = (choice: BackendChoice) => (choice.kind === 'embedded' ? choice : undefined);
