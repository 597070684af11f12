import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { FLAGS, findChromium } from './chromium.ts';

/** A browser with a profile of its own on disk, which can be killed and opened again as its person left it. */
export type FieldBrowser = {
  page(): Promise<Page>;
  /** Ends it as a person does. */
  quit(): Promise<void>;
  /** Ends it as a battery does. */
  kill(): Promise<void>;
  open(): Promise<void>;
};

/** Between two looks for where a browser listens. */
const LOOK_MS = 50;

/** @param profile a folder */
export async function openFieldBrowser(profile: string): Promise<FieldBrowser> {
  let child: ChildProcess;
  let browser: Browser;

  async function open(): Promise<void> {
    const file = join(profile, 'DevToolsActivePort');
    await rm(file, { force: true });
    const flags = ['--remote-debugging-port=0', `--user-data-dir=${profile}`, '--hide-crash-restore-bubble'];
    const { path, environment } = await findChromium();
    child = spawn(path, [...FLAGS, ...flags, 'about:blank'], { env: environment, stdio: 'ignore' });
    let port = '';
    while (!port) {
      await pass(LOOK_MS);
      [port = ''] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
    }
    browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
  }
  const ended = () =>
    child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined;

  await open();
  return {
    open,
    async page() {
      const [context] = browser.contexts();
      if (!context) throw new Error('The browser has no window.');
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
