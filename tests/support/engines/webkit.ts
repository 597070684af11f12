import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../processes.ts';
import { MINI_BROWSER } from './installed.ts';
import {
  type BrowserSession,
  type Engine,
  reportViolations,
  type SessionOptions,
  VIOLATION,
} from './session.ts';

/** Shrinks MiniBrowser's tool bar. No window manager runs, so only the contents limit how narrow the window is. */
const GTK_STYLES =
  '* { min-width: 0; min-height: 0; padding: 0; margin: 0; border-width: 0; font-size: 1px; -gtk-icon-transform: scale(0.1); }';
/** In milliseconds. A command that takes longer fails with an error of the driver. */
const TIMEOUTS = { pageLoad: 60_000, script: 60_000 };
const SCREEN = '1600x1200x24';
/** The key of WebDriver's element references. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** Starts a virtual screen for WebKitGTK's MiniBrowser, which is driven over WebDriver. Each session is a process. */
export async function launchWebKit(): Promise<Engine> {
  const home = await mkdtemp(join(tmpdir(), 'stoppress-webkit-'));
  await mkdir(join(home, 'gtk-3.0'));
  await writeFile(join(home, 'gtk-3.0', 'gtk.css'), GTK_STYLES);
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', SCREEN, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [display] = await once(screen.stdio[3] as NodeJS.ReadableStream, 'data');
  const environment = { ...process.env, DISPLAY: `:${String(display).trim()}`, XDG_CONFIG_HOME: home };
  return {
    newSession: (options = {}) => openSession(environment, options),
    async close() {
      const exited = once(screen, 'exit');
      screen.kill();
      await exited;
      await rm(home, { recursive: true, force: true });
    },
  };
}

type Request = <Value>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<Value>;

async function openSession(
  environment: NodeJS.ProcessEnv,
  { javaScriptEnabled = true }: SessionOptions,
): Promise<BrowserSession> {
  const port = await freePort();
  const driver = spawn(
    'dbus-run-session',
    ['--', 'WebKitWebDriver', `--port=${port}`, '--host=127.0.0.1'],
    // The driver gets its own process group, so that `endGroup` ends all of its processes.
    { env: environment, stdio: 'ignore', detached: true },
  );
  const request = requestsTo(`http://127.0.0.1:${port}`);
  await vi.waitFor(() => request('GET', '/status'), { timeout: 15_000, interval: 20 });
  const args = ['--automation', ...(javaScriptEnabled ? [] : ['--enable-javascript=false'])];
  const { sessionId } = await request<{ sessionId: string }>('POST', '/session', {
    capabilities: {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: MINI_BROWSER, args }, timeouts: TIMEOUTS },
    },
  });
  const path = `/session/${sessionId}`;
  const execute = <Value>(script: string) =>
    request<Value>('POST', `${path}/execute/sync`, { script, args: [] });
  const keepErrors = `(${keepErrorsInPage})(${JSON.stringify(KEPT_ERRORS)}, ${reportViolations}, ${JSON.stringify(VIOLATION)});`;
  return {
    async navigate(url) {
      await request('POST', `${path}/url`, { url });
      await execute(keepErrors);
    },
    async call(declaration, args) {
      const json = await execute<string>(
        `${keepErrors} return (async () => JSON.stringify({ value: await (${declaration})(...${JSON.stringify(args)}) }))();`,
      );
      return JSON.parse(json).value;
    },
    performActions: (actions) => request('POST', `${path}/actions`, { actions }),
    async setFiles(declaration, args, paths) {
      const element = await execute<Record<string, string>>(
        `return (${declaration})(...${JSON.stringify(args)});`,
      );
      const text = paths.join('\n');
      await request('POST', `${path}/element/${element[ELEMENT]}/value`, { text });
    },
    async resize({ width, height }) {
      const inner = () => execute<[number, number]>('return [innerWidth, innerHeight];');
      const [, before] = await inner();
      const rect = await request<{ height: number }>('GET', `${path}/window/rect`);
      await request('POST', `${path}/window/rect`, { width, height: height + rect.height - before });
      const reachesWidth = async () => {
        const [now] = await inner();
        if (now !== width) throw new Error(`The window is ${now} px wide, not ${width} px.`);
      };
      await vi.waitFor(reachesWidth, { timeout: 10_000 });
    },
    screenshot: async () => Buffer.from(await request<string>('GET', `${path}/screenshot`), 'base64'),
    errors: () =>
      execute(`return JSON.parse(sessionStorage.getItem(${JSON.stringify(KEPT_ERRORS)}) ?? '[]');`),
    async close() {
      await request('DELETE', path);
      await endGroup(driver);
    },
  };
}

const requestsTo =
  (base: string): Request =>
  async <Value>(method: string, path: string, body?: object) => {
    const answer = await fetch(base + path, { method, ...(body && { body: JSON.stringify(body) }) });
    const { value } = (await answer.json()) as { value: Value & { error?: string; message?: string } };
    if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };

async function endGroup(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  process.kill(-(child.pid as number));
  await exited;
}

/** Key of the page errors in the session storage, which survives navigations. */
const KEPT_ERRORS = 'errors-kept-for-the-test';

/**
 * Runs in the page, once per document. Stores the errors that the console would show, because an automated WebKitGTK
 * writes no console. WebKitGTK cannot run a script before the page's own scripts. The browser's buffers contain earlier
 * violations and failed requests. Earlier script errors are lost, but a page whose script did not start fails its
 * journey.
 */
function keepErrorsInPage(key: string, report: typeof reportViolations, violation: string): void {
  if (key in window) return;
  Object.assign(window, { [key]: true });
  let isLeaving = false;
  // When a page is left, WebKit rejects the requests that are not complete.
  addEventListener('beforeunload', () => {
    isLeaving = true;
  });
  const keep = (line: string) => {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    if (!isLeaving) sessionStorage.setItem(key, JSON.stringify([...kept, line]));
  };
  const { error } = console;
  console.error = (...words: unknown[]) => {
    keep(words.map(String).join(' '));
    error.apply(console, words);
  };
  addEventListener('error', (event) => keep(`${event.message} (${event.filename}:${event.lineno})`));
  addEventListener('unhandledrejection', (event) => keep(`${event.reason} (${location.href})`));
  report(violation);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceResourceTiming[])
      if (entry.responseStatus >= 400) keep(`${entry.responseStatus} (${entry.name})`);
  }).observe({ type: 'resource', buffered: true });
}
