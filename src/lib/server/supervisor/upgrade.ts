import { SERVER } from '../../i18n/cli.ts';
import { BACKEND_STOP_MS } from '../backend-process.ts';
import { digestOfFiles, ROOT } from '../build/build-id.ts';
import { HANDOVER } from '../listening.ts';
import { type ServerSettings, SettingsError } from '../settings.ts';
import { LEAVE } from './site-messages.ts';
import {
  type Child,
  type Configuration,
  endProcess,
  type ProcessMessage,
  ProcessNotReady,
  type SupervisedProcess,
} from './supervised-process.ts';

/** Files that determine each program. Other changes need no restart of it. */
const PARTS = {
  backend: ['packages/embedded-supabase/src', 'supabase', 'package-lock.json'],
  supervisor: ['src/lib/server/start.ts', 'src/lib/server/supervisor', 'src/lib/i18n/cli.ts'],
};

/** A digest of a program's files on the disk and of its settings. */
export const digestOf = (program: keyof typeof PARTS, settings: unknown = null): Promise<string> =>
  digestOfFiles(ROOT, PARTS[program], JSON.stringify(settings));

type UpgradeOptions = {
  site: SupervisedProcess<ProcessMessage>;
  backend: SupervisedProcess<ProcessMessage> | undefined;
  configuration: Configuration;
  /** Reads the current settings. @throws SettingsError */
  read(): Configuration;
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
      next = read();
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

/** Settings that take effect only after a restart of the supervisor. */
const fixedSettings = ({ host, port, backend }: ServerSettings) => JSON.stringify([host, port, backend.kind]);

const digestOfBackend = ({ backend }: ServerSettings) => digestOf('backend', backend);
