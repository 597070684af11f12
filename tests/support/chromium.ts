import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/** Nothing in a test may reach the internet, and a container has neither a sandbox nor a graphics card. */
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
  /** The environment that the program is started with. */
  environment: Record<string, string>;
};

/** Starts the Chromium of this machine, or the one from npm where there is none. */
export async function launchChromium(flags: string[] = []): Promise<Browser> {
  const { path, environment } = await findChromium();
  return chromium.launch({ executablePath: path, env: environment, args: [...FLAGS, ...flags] });
}

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/google-chrome'];

export async function findChromium(): Promise<ChromiumProgram> {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const installed = INSTALLED.find((path) => existsSync(path));
  if (installed) return { path: installed, environment };
  const folder = await unpackChromium();
  return {
    path: join(folder, 'chromium'),
    environment: {
      ...environment,
      // The package brings NSS, which a machine without a desktop does not have.
      LD_LIBRARY_PATH: [join(folder, 'al2023/lib'), environment.LD_LIBRARY_PATH].filter(Boolean).join(':'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

const PACKAGE = 'node_modules/@sparticuz/chromium';

/** Unpacks the package, which always uses the folder for temporary files. */
const UNPACK = `import chromium, { inflate } from '@sparticuz/chromium';
await chromium.executablePath();
await inflate('${PACKAGE}/bin/al2023.tar.br');`;

/** @returns the folder that holds the program, its libraries and its fonts. Unpacks them first where they are missing. */
async function unpackChromium(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as {
    version: string;
  };
  const folder = resolve('.stoppress', `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir('.stoppress', { recursive: true });
  // Moved into place when it is complete: another process never starts half a program.
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

/** The machine's own fonts, and the package's for a machine that has none. */
const fontSettings = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
