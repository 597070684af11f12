import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { SERVER } from '../../i18n/cli.ts';
import { BACKEND_STOP_MS, type BackendEndpoint, mailMessage, superviseBackend } from '../backend-process.ts';
import { digestOfFiles, ROOT } from '../build/build-id.ts';
import { HANDOVER } from '../listening.ts';
import { MEMORY_ENVIRONMENT, SITE_FLAGS } from '../memory-flags.ts';
import { type BackendChoice, type Environment, type ServerSettings, SettingsError } from '../settings.ts';
import { type HeldPort, holdPort } from './port.ts';
import {
  ANNOUNCE,
  BACKEND_READY,
  type BackendReady,
  LEAVE,
  type SiteRole,
  START,
  type Start,
} from './site-messages.ts';
import {
  type Child,
  type Configuration,
  endProcess,
  type ProcessMessage,
  ProcessNotReady,
  type RestartDelays,
  type SupervisedProcess,
  superviseProcess,
} from './supervised-process.ts';

const MAIN = resolve(import.meta.dirname, '../site-process.ts');

type SiteProcessOptions = Start & {
  environment: Environment;
  /** Descriptor of the held port. */
  fd: number;
  backendReady: Promise<BackendReady>;
};

/** Forks a site process. Messages that it misses because it has ended do not matter: its exit is handled. */
function forkSite({ environment, fd, url, role, backendReady }: SiteProcessOptions): ChildProcess {
  const child = fork(MAIN, {
    execArgv: [...SITE_FLAGS],
    env: { ...MEMORY_ENVIRONMENT, ...environment },
    // Descriptor 4 (PORT_FD) is the held port.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', fd],
    // Ctrl-C signals the whole process group, but the supervisor decides the order of the exits.
    detached: true,
  });
  const send = (message: object) => void (child.connected && child.send(message, () => {}));
  send({ type: START, url, role });
  void backendReady.then(
    (message) => send({ type: BACKEND_READY, ...message }),
    () => {},
  );
  return child;
}

type SupervisorOptions = {
  /** @throws SettingsError */
  readConfiguration(): Configuration;
  /** Reads the settings again and checks those of the backend too. @throws SettingsError */
  readAgain(): Promise<Configuration>;
  log(sentence: string): void;
  /** Aborts the start. */
  signal: AbortSignal;
  delays?: RestartDelays;
  /** Maximum time without a heartbeat for each process, in ms. */
  heartbeatTimeouts?: { site: number; backend: number };
};

/** A page takes a second at most. A query in PGlite blocks the backend's process, and some are long. */
const HEARTBEAT_TIMEOUTS = { site: 30_000, backend: 90_000 };
/** Timeouts for starting and stopping a site process, in milliseconds. */
const SITE_START_MS = 120_000;
const SITE_END_MS = 20_000;

/**
 * Holds the port and runs backend and site.
 * @throws SettingsError, PortInUse, BackendFailed, or ProcessNotReady of a site that has logged its reason; all processes are
 * stopped then
 */
export async function supervise(options: SupervisorOptions) {
  const { log } = options;
  let configuration = options.readConfiguration();
  const port = await holdPort(
    configuration.settings.host,
    configuration.settings.port,
    configuration.environment,
  );
  const siteUrl = configuration.settings.siteUrl ?? port.url;
  const parts = await startBoth(options, () => configuration, port, siteUrl).catch((error: unknown) => {
    port.release();
    throw error;
  });
  const { site, backend, address } = parts;
  const chosen = embeddedChoice(configuration.settings.backend);
  const upgrades = await createUpgrades({
    ...parts,
    configuration,
    read: options.readAgain,
    adopt: (next) => {
      configuration = next;
    },
    log,
  });
  return {
    /** Origin on which it listens. */
    url: port.url,
    /** Public address of the site. */
    siteUrl,
    /** A sentence that says where mails are delivered; undefined when it is configured elsewhere. */
    mails: chosen && address && mailMessage(chosen, address, {}),
    /** Lets the site log the address of the setup page. */
    announce: () => site.current()?.process.send({ type: ANNOUNCE }, () => {}),
    /** Starts the build that is on the disk now, and then moves traffic to it. */
    deploy: upgrades.deploy,
    async stop(): Promise<void> {
      // Releases the port first, so that new connections are refused instead of queued.
      port.release();
      await upgrades.stop();
      await site.stop(SITE_END_MS);
      await backend?.stop(BACKEND_STOP_MS);
    },
    /** Kills all processes. */
    kill(): void {
      upgrades.kill();
      site.kill();
      backend?.kill();
    },
  };
}

type Processes = {
  site: SupervisedProcess<ProcessMessage>;
  /** Absent for a hosted project. */
  backend: SupervisedProcess<ProcessMessage> | undefined;
  address: BackendEndpoint | undefined;
};

/** Starts both at the same time. The site waits for the backend. */
async function startBoth(
  { log, signal, delays, heartbeatTimeouts = HEARTBEAT_TIMEOUTS }: SupervisorOptions,
  configuration: () => Configuration,
  port: HeldPort,
  siteUrl: string,
): Promise<Processes> {
  const off = new AbortController();
  const task = { log, delays, signal: AbortSignal.any([signal, off.signal]) };
  const backendReady = Promise.withResolvers<BackendReady>();
  let site: SupervisedProcess<ProcessMessage> | undefined;

  async function startSite() {
    site = await superviseProcess({
      ...task,
      name: 'site',
      heartbeatTimeoutMs: heartbeatTimeouts.site,
      startTimeoutMs: SITE_START_MS,
      fork: () =>
        forkSite({
          environment: configuration().environment,
          fd: port.fd,
          url: port.url,
          role: roleOf(site),
          backendReady: backendReady.promise,
        }),
    });
    return site;
  }

  async function startBackend() {
    const chosen = embeddedChoice(configuration().settings.backend);
    const started =
      chosen &&
      (await superviseBackend({
        ...task,
        heartbeatTimeoutMs: heartbeatTimeouts.backend,
        launch: { siteUrl, backups: true },
        choice: () => embeddedChoice(configuration().settings.backend) ?? chosen,
      }));
    backendReady.resolve({ backend: started?.address });
    return started;
  }

  const starting = [startBackend(), startSite()] as const;
  let failure: { error: unknown } | undefined;
  for (const one of starting) {
    one.catch((error: unknown) => {
      failure ??= { error };
      off.abort();
    });
  }
  const [backendUp, siteUp] = await Promise.allSettled(starting);
  const backend = backendUp.status === 'fulfilled' ? backendUp.value : undefined;
  if (failure || siteUp.status === 'rejected') {
    if (siteUp.status === 'fulfilled') await siteUp.value.stop(SITE_END_MS);
    await backend?.supervised.stop(BACKEND_STOP_MS);
    throw failure?.error;
  }
  return { site: siteUp.value, backend: backend?.supervised, address: backend?.address };
}

/** The role of the next site process. @param site undefined until the first one was ready */
const roleOf = (site: Processes['site'] | undefined): SiteRole =>
  site === undefined ? 'first' : site.current() ? 'successor' : 'restarted';

/** The choice of an embedded backend; undefined for a hosted project. */
const embeddedChoice = (choice: BackendChoice) => (choice.kind === 'embedded' ? choice : undefined);

/** Files that determine each program. Other changes need no restart of it. */
const PARTS = {
  backend: ['packages/embedded-supabase/src', 'supabase', 'package-lock.json'],
  supervisor: ['src/lib/server/start.ts', 'src/lib/server/supervisor', 'src/lib/i18n/cli.ts'],
};

/** A digest of a program's files on the disk and of its settings. */
const digestOf = (program: keyof typeof PARTS, settings: unknown = null): Promise<string> =>
  digestOfFiles(ROOT, PARTS[program], JSON.stringify(settings));

type UpgradeOptions = {
  site: SupervisedProcess<ProcessMessage>;
  backend: SupervisedProcess<ProcessMessage> | undefined;
  configuration: Configuration;
  /** Reads and checks the current settings. @throws SettingsError */
  read(): Promise<Configuration>;
  /** Sets the settings of processes that start from now on. */
  adopt(configuration: Configuration): void;
  log(sentence: string): void;
};

/** Additional time after the last request of a leaving process, in milliseconds. */
const EXIT_TIMEOUT_MS = 20_000;

/** Runs one deploy at a time. Requests during a deploy start one more when it is done. */
export async function createUpgrades({ site, backend, configuration, read, adopt, log }: UpgradeOptions) {
  const leaving = new Set<Child>();
  let running: Promise<void> | undefined;
  let isRequested = false;
  let stopped = false;
  let backendDigest = await digestOfBackend(configuration.settings);
  const supervisorDigest = await digestOf('supervisor');

  async function deploy(): Promise<void> {
    if (stopped) return;
    let next: Configuration;
    try {
      next = await read();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      for (const mistake of error.message.split('\n')) log(mistake);
      return log(SERVER.settingsNotRenewed);
    }
    if (fixedSettings(next.settings) !== fixedSettings(configuration.settings))
      return log(SERVER.placeNotRenewed);
    adopt(next);
    if ((await digestOf('supervisor')) !== supervisorDigest) log(SERVER.supervisorChanged);
    const digest = await digestOfBackend(next.settings);
    if (backend && digest !== backendDigest) {
      log(SERVER.backendRenewing);
      backendDigest = digest;
      if (!(await backend.restartNow(BACKEND_STOP_MS))) return log(SERVER.backendNotRenewed);
    }
    await replaceSite();
  }

  async function replaceSite(): Promise<void> {
    if (stopped) return;
    log(SERVER.renewing);
    const began = performance.now();
    try {
      const old = await site.replace();
      log(SERVER.renewed(Math.round((performance.now() - began) / 100) / 10));
      if (old) void retire(old);
    } catch (error) {
      if (!(error instanceof ProcessNotReady)) throw error;
      if (!stopped) log(SERVER.notRenewed(error.message));
    }
  }

  async function retire(old: Child): Promise<void> {
    leaving.add(old);
    // The process may have ended meanwhile.
    if (old.process.connected) old.process.send({ type: LEAVE }, () => {});
    const timeout = setTimeout(() => old.process.kill('SIGKILL'), HANDOVER.requests + EXIT_TIMEOUT_MS);
    await old.exit;
    clearTimeout(timeout);
    leaving.delete(old);
  }

  return {
    async deploy(): Promise<void> {
      isRequested = true;
      running ??= (async () => {
        try {
          while (isRequested) {
            isRequested = false;
            await deploy();
          }
        } finally {
          running = undefined;
        }
      })();
      return running;
    },
    /** Refuses further deploys and ends leaving processes. */
    async stop(): Promise<void> {
      stopped = true;
      isRequested = false;
      await Promise.all([...leaving].map((old) => endProcess(old, EXIT_TIMEOUT_MS)));
    },
    kill(): void {
      stopped = true;
      for (const old of leaving) old.process.kill('SIGKILL');
    },
  };
}

/**
 * Settings that take effect only after a restart of the supervisor. Site and backend have the address, the data folder
 * and the keys of an embedded backend since the start, and would no longer agree about them.
 */
const fixedSettings = ({ host, port, siteUrl, backend }: ServerSettings) =>
  JSON.stringify([
    host,
    port,
    siteUrl,
    backend.kind,
    backend.kind === 'embedded' && [backend.data, backend.publishableKey, backend.secretKey],
  ]);

const digestOfBackend = ({ backend }: ServerSettings) => digestOf('backend', backend);
