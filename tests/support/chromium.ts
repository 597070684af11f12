import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { until } from './until.ts';

/** Size of a screen that shows the composer beside the list. */
export const WIDE_SCREEN = { width: 1280, height: 800 };

/** Tests must not reach the internet, and a container has neither a sandbox nor a graphics card. */
export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export type ChromiumProgram = {
  path: string;
  /** Environment of the process. */
  environment: Record<string, string>;
};

/**
 * Starts the installed Chromium, or the one from npm where none is installed. With TEST_CHROMIUM=npm it starts the one
 * from npm, which needs a quarter less processor time, because it has no windows.
 */
export async function launchChromium(flags: string[] = []): Promise<Browser> {
  const { path, environment } = await findChromium();
  return chromium.launch({ executablePath: path, env: environment, args: [...FLAGS, ...flags] });
}

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/google-chrome'];

export async function findChromium(): Promise<ChromiumProgram> {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const installed =
    process.env.TEST_CHROMIUM === 'npm' ? undefined : INSTALLED.find((path) => existsSync(path));
  if (installed) return { path: installed, environment };
  const folder = await unpackChromium();
  return {
    path: join(folder, 'chromium'),
    environment: {
      ...environment,
      // The package contains NSS, which a machine without a desktop lacks.
      LD_LIBRARY_PATH: [join(folder, 'al2023/lib'), environment.LD_LIBRARY_PATH].filter(Boolean).join(':'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

const PACKAGE = 'node_modules/@sparticuz/chromium';

/** Script that unpacks the package. The package always unpacks into the folder for temporary files. */
const UNPACK = `import chromium, { inflate } from '@sparticuz/chromium';
await chromium.executablePath();
await inflate('${PACKAGE}/bin/al2023.tar.br');`;

/** Unpacks the package, unless it is unpacked. @returns the folder with the program, its libraries and its fonts */
async function unpackChromium(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as {
    version: string;
  };
  const folder = resolve('.stoppress', `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir('.stoppress', { recursive: true });
  // The folder is renamed when it is complete, so that no other process starts an incomplete program.
  const unfinished = await mkdtemp(`${folder}-`);
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], {
    env: { ...process.env, TMPDIR: unfinished },
  });
  await writeFile(join(unfinished, 'fonts.conf'), fontSettings(folder));
  await rename(unfinished, folder).catch(async (error: NodeJS.ErrnoException) => {
    await rm(unfinished, { recursive: true });
    // Another process was faster.
    if (error.code !== 'ENOTEMPTY') throw error;
  });
  return folder;
}

/** Returns a fontconfig file that lists the fonts of the machine and of the package. */
const fontSettings = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;

/** A browser with a profile on disk. A test can kill it and open it again with the same profile. */
export type PersistentBrowser = {
  page(): Promise<Page>;
  /** Closes the browser as a person does. */
  quit(): Promise<void>;
  /** Kills the process, as when a battery is empty. */
  kill(): Promise<void>;
  open(): Promise<void>;
};

/** @param profile folder of the profile */
export async function openPersistentBrowser(profile: string): Promise<PersistentBrowser> {
  let child: ChildProcess;
  let browser: Browser;

  async function open(): Promise<void> {
    const file = join(profile, 'DevToolsActivePort');
    await rm(file, { force: true });
    const flags = ['--remote-debugging-port=0', `--user-data-dir=${profile}`, '--hide-crash-restore-bubble'];
    const { path, environment } = await findChromium();
    child = spawn(path, [...FLAGS, ...flags, 'about:blank'], { env: environment, stdio: 'ignore' });
    let port = '';
    await until('Chromium writes the port of its debugger', async () => {
      [port = ''] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
      return port !== '';
    });
    browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  }
  const ended = () =>
    child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined;

  await open();
  return {
    open,
    async page() {
      const [context] = browser.contexts();
      if (!context) throw new Error('Chromium opens with one window.');
      return context.newPage();
    },
    async quit() {
      const end = ended();
      await (await browser.newBrowserCDPSession()).send('Browser.close').catch(() => undefined);
      await end;
    },
    async kill() {
      const end = ended();
      child.kill('SIGKILL');
      await end;
      await browser.close().catch(() => undefined);
    },
  };
}
