import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SERVER } from '../../i18n/cli.ts';
import { LONGEST_END_MS } from '../backend-process.ts';
import { HANDING_OVER } from '../listening.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { type Child, end, type Message, NotUp, type Said } from './child.ts';
import { LEAVE } from './site-messages.ts';
import type { Kept } from './supervised-child.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** Files that determine each program. Other changes need no restart of it. */
const PARTS = {
  backend: ['packages/embedded-supabase/src', 'supabase', 'package-lock.json'],
  supervisor: ['src/lib/server/start.ts', 'src/lib/server/supervisor', 'src/lib/i18n/cli.ts'],
};

/** A digest of a program's files on the disk and of its settings. */
export async function digestOf(program: keyof typeof PARTS, settings: unknown = null): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const part of PARTS[program]) {
    for (const path of await filesOf(join(ROOT, part))) hash.update(`${path}\0`).update(await readFile(path));
  }
  return hash.digest('base64url');
}

async function filesOf(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTDIR') return null;
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  if (entries === null) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

export type Renewing = {
  site: Kept<Message>;
  backend: Kept<Message> | undefined;
  said: Said;
  /** Reads the current settings. @throws SettingsError */
  read(): Said;
  /** Sets the settings of processes that start from now on. */
  adopt(said: Said): void;
  say(sentence: string): void;
};

/** Additional time after the last request of a leaving process, in milliseconds. */
const LAST_WORDS_MS = 20_000;

/** Runs one deploy at a time. Requests during a deploy start one more when it is done. */
export async function openRenewing({ site, backend, said, read, adopt, say }: Renewing) {
  const leaving = new Set<Child>();
  let running: Promise<void> | undefined;
  let once = false;
  let stopped = false;
  let backendMade = await backendOf(said.settings);
  const supervisorMade = await digestOf('supervisor');

  async function renew(): Promise<void> {
    if (stopped) return;
    let next: Said;
    try {
      next = read();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      for (const mistake of error.message.split('\n')) say(mistake);
      return say(SERVER.settingsNotRenewed);
    }
    if (placeOf(next.settings) !== placeOf(said.settings)) return say(SERVER.placeNotRenewed);
    adopt(next);
    if ((await digestOf('supervisor')) !== supervisorMade) say(SERVER.supervisorChanged);
    const made = await backendOf(next.settings);
    if (backend && made !== backendMade) {
      say(SERVER.backendRenewing);
      backendMade = made;
      if (!(await backend.renew(LONGEST_END_MS))) return say(SERVER.backendNotRenewed);
    }
    await renewSite();
  }

  async function renewSite(): Promise<void> {
    if (stopped) return;
    say(SERVER.renewing);
    const began = performance.now();
    try {
      const old = await site.replace();
      say(SERVER.renewed(Math.round((performance.now() - began) / 100) / 10));
      if (old) void sendOff(old);
    } catch (error) {
      if (!(error instanceof NotUp)) throw error;
      if (!stopped) say(SERVER.notRenewed(error.message));
    }
  }

  async function sendOff(old: Child): Promise<void> {
    leaving.add(old);
    // The process may have ended meanwhile.
    if (old.process.connected) old.process.send({ type: LEAVE }, () => {});
    const enough = setTimeout(() => old.process.kill('SIGKILL'), HANDING_OVER.requests + LAST_WORDS_MS);
    await old.exit;
    clearTimeout(enough);
    leaving.delete(old);
  }

  return {
    async renew(): Promise<void> {
      once = true;
      running ??= (async () => {
        try {
          while (once) {
            once = false;
            await renew();
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
      once = false;
      await Promise.all([...leaving].map((old) => end(old, LAST_WORDS_MS)));
    },
    kill(): void {
      stopped = true;
      for (const old of leaving) old.process.kill('SIGKILL');
    },
  };
}

/** Settings that take effect only after a restart of the supervisor. */
const placeOf = ({ host, port, backend }: Settings) => JSON.stringify([host, port, backend.kind]);

const backendOf = ({ backend }: Settings) => digestOf('backend', backend);
