import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { FIREFOX } from './installed.ts';
import {
  type BrowserSession,
  type Engine,
  reportViolations,
  type SessionOptions,
  VIOLATION,
} from './session.ts';

/** A command that takes longer fails with an error that names it. */
const TIMEOUT_MS = 90_000;

/**
 * Starts headless Firefox and drives it over WebDriver BiDi, which stock Firefox offers without Geckodriver.
 * Sessions are user contexts of one process. JavaScript can only be disabled for a whole process, so sessions without
 * JavaScript share a second process.
 */
export async function launchFirefox(): Promise<Engine> {
  const processes = new Map<boolean, Promise<FirefoxProcess>>();
  const processFor = (javaScriptEnabled: boolean) => {
    const running = processes.get(javaScriptEnabled) ?? startFirefox(javaScriptEnabled);
    processes.set(javaScriptEnabled, running);
    return running;
  };
  return {
    newSession: async ({ javaScriptEnabled = true }: SessionOptions = {}) =>
      openSession(await processFor(javaScriptEnabled), javaScriptEnabled),
    async close() {
      for (const running of processes.values()) await (await running).close();
    },
  };
}

type FirefoxProcess = {
  send<Result>(method: string, params: object): Promise<Result>;
  onEvent(listener: (method: string, params: Record<string, unknown>) => void): void;
  close(): Promise<void>;
};

async function startFirefox(javaScriptEnabled: boolean): Promise<FirefoxProcess> {
  const profile = await mkdtemp(join(tmpdir(), 'stoppress-firefox-'));
  const preferences = { 'javascript.enabled': javaScriptEnabled, 'intl.accept_languages': 'en-GB, en' };
  await writeFile(
    join(profile, 'user.js'),
    Object.entries(preferences)
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
      .join(''),
  );
  const child = spawn(
    FIREFOX ?? 'firefox',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } },
  );
  const socket = new WebSocket(`${await addressOf(child)}/session`);
  await once(socket, 'open');

  const calls = new Map<number, PromiseWithResolvers<unknown>>();
  const listeners: Parameters<FirefoxProcess['onEvent']>[0][] = [];
  let lastId = 0;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if (message.type === 'event') {
      for (const listener of listeners) listener(message.method, message.params);
      return;
    }
    const call = calls.get(message.id);
    calls.delete(message.id);
    if (message.type === 'success') call?.resolve(message.result);
    else call?.reject(new Error(`${message.error}: ${message.message}`));
  });
  socket.on('close', () => {
    for (const call of calls.values()) call.reject(new Error('Firefox has ended.'));
  });
  const firefox: FirefoxProcess = {
    send<Result>(method: string, params: object) {
      const call = Promise.withResolvers<unknown>();
      calls.set(++lastId, call);
      socket.send(JSON.stringify({ id: lastId, method, params }));
      const timer = setTimeout(() => call.reject(new Error(`${method}: no answer`)), TIMEOUT_MS);
      return call.promise.finally(() => clearTimeout(timer)) as Promise<Result>;
    },
    onEvent: (listener) => void listeners.push(listener),
    async close() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await firefox.send('session.new', { capabilities: {} });
    await firefox.send('session.subscribe', { events: ['log.entryAdded', 'network.responseCompleted'] });
  } catch (error) {
    await firefox.close();
    throw error;
  }
  return firefox;
}

/** Returns the address that Firefox writes to its standard error. @throws if Firefox ends without writing it */
async function addressOf(child: ChildProcess): Promise<string> {
  const written: string[] = [];
  if (child.stderr) {
    for await (const line of createInterface({ input: child.stderr })) {
      const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
      if (address) {
        // Later lines are dropped, or they would fill the pipe.
        child.stderr.resume();
        return address;
      }
      written.push(line);
    }
  }
  throw new Error(`Firefox did not start: ${written.join('\n')}`);
}

type Evaluated = {
  type: 'success' | 'exception';
  result: { value: string; sharedId?: string };
  exceptionDetails: { text: string };
};

async function openSession(firefox: FirefoxProcess, javaScriptEnabled: boolean): Promise<BrowserSession> {
  const { userContext } = await firefox.send<{ userContext: string }>('browser.createUserContext', {});
  // Each session has its own window, because a tab in the background is hidden and its timers are slow.
  const { context } = await firefox.send<{ context: string }>('browsingContext.create', {
    type: 'window',
    userContext,
  });
  await firefox.send('script.addPreloadScript', {
    functionDeclaration: `() => (${reportViolations})(${JSON.stringify(VIOLATION)})`,
    contexts: [context],
  });
  const errors: string[] = [];
  firefox.onEvent((method, params) => {
    const line = method === 'log.entryAdded' ? logError(params, context) : failedRequest(params, context);
    if (line) errors.push(line);
  });
  const evaluate = async (functionDeclaration: string) => {
    const answer = await firefox.send<Evaluated>('script.callFunction', {
      functionDeclaration,
      target: { context },
      awaitPromise: javaScriptEnabled,
    });
    if (answer.type === 'exception') throw new Error(answer.exceptionDetails.text);
    return answer.result;
  };
  return {
    navigate: (url) => firefox.send('browsingContext.navigate', { context, url, wait: 'complete' }),
    async call(declaration, args) {
      const json = JSON.stringify(args);
      // No promise settles while JavaScript is disabled.
      const [start, wait] = javaScriptEnabled ? ['async ', 'await '] : ['', ''];
      const { value } = await evaluate(
        `${start}() => JSON.stringify({ value: ${wait}(${declaration})(...${json}) })`,
      );
      return JSON.parse(value).value;
    },
    performActions: (actions) => firefox.send('input.performActions', { context, actions }),
    async setFiles(declaration, args, files) {
      const { sharedId } = await evaluate(`() => (${declaration})(...${JSON.stringify(args)})`);
      await firefox.send('input.setFiles', { context, element: { sharedId }, files });
    },
    resize: (viewport) => firefox.send('browsingContext.setViewport', { context, viewport }),
    async screenshot() {
      const { data } = await firefox.send<{ data: string }>('browsingContext.captureScreenshot', { context });
      return Buffer.from(data, 'base64');
    },
    errors: async () => errors,
    close: () => firefox.send('browser.removeUserContext', { userContext }),
  };
}

type LogEntry = { level: string; text: string; source: { context?: string } };

function logError(params: Record<string, unknown>, context: string): string | undefined {
  const { level, text, source } = params as LogEntry;
  return source.context === context && (level === 'error' || level === 'warn') ? text : undefined;
}

type Completed = { context: string | null; request: { url: string }; response: { status: number } };

function failedRequest(params: Record<string, unknown>, context: string): string | undefined {
  const { context: of, request, response } = params as Completed;
  return of === context && response.status >= 400 ? `${response.status} (${request.url})` : undefined;
}
