import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SERVER } from '../../../src/lib/i18n/cli.ts';
import { createFrameTracker } from '../../../src/lib/server/connections.ts';
import { PortInUse } from '../../../src/lib/server/listening.ts';
import { readServerSettings, SettingsError } from '../../../src/lib/server/settings.ts';
import { holdPort } from '../../../src/lib/server/supervisor/port.ts';
import {
  type ChildOptions,
  createBackoff,
  type ProcessMessage,
  ProcessNotReady,
  type SupervisedProcess,
  superviseProcess,
} from '../../../src/lib/server/supervisor/supervised-process.ts';
import { createUpgrades } from '../../../src/lib/server/supervisor/supervisor.ts';

const CHILD = resolve('tests/support/supervised-child.mjs');
/** A process may take a second to start on a busy machine. */
const BUSY = { timeout: 10_000 };
const PAUSES = { shortest: 10, longest: 40, healthy: 60_000 };

type Ready = ProcessMessage & { pid: number };

const keptOnes: SupervisedProcess<ProcessMessage>[] = [];
afterEach(() => {
  for (const supervised of keptOnes.splice(0)) supervised.kill();
});

/** Supervises a child that behaves like the next of these at each start. */
async function keep(hows: string[], more: Partial<ChildOptions> = {}) {
  const logLines: string[] = [];
  const started: string[] = [];
  const forked: ChildProcess[] = [];
  /** Times of log messages and starts. */
  const at = { logLines: [] as number[], started: [] as number[] };
  const supervised = await superviseProcess<Ready>({
    name: 'child',
    log(sentence) {
      logLines.push(sentence);
      at.logLines.push(performance.now());
    },
    fork() {
      const how = hows.shift() ?? 'well';
      started.push(how);
      at.started.push(performance.now());
      const child = fork(CHILD, [how], { execArgv: [] });
      forked.push(child);
      return child;
    },
    delays: PAUSES,
    ...more,
  });
  keptOnes.push(supervised);
  return {
    supervised: supervised,
    logLines: logLines,
    started,
    forked,
    at,
    pid: () => supervised.current()?.process.pid,
  };
}

test('restarts a killed process until it comes up, and logs each end', async () => {
  const { supervised, logLines, started, at, pid } = await keep(['well', 'refuses', 'refuses']);
  const first = pid();
  process.kill(first as number, 'SIGKILL');
  await expect.poll(() => logLines.at(-1), BUSY).toBe(SERVER.childBack('child'));
  // No start happens before the logged pause is over.
  for (const [n, sentence] of logLines.slice(0, -1).entries()) {
    const pause = Number(/in ([\d.]+) s/.exec(sentence)?.[1]) * 1_000;
    expect(pause).toBeGreaterThan(5);
    expect((at.started[n + 1] as number) - (at.logLines[n] as number)).toBeGreaterThan(pause - 2);
  }
  expect(pid()).not.toBe(first);
  expect(started).toEqual(['well', 'refuses', 'refuses', 'well']);
  const hows = logLines.slice(0, -1).map((sentence) => /\((.*)\)/.exec(sentence)?.[1]);
  expect(hows).toEqual([SERVER.bySignal('SIGKILL'), SERVER.byCode(3), SERVER.byCode(3)]);
  await supervised.stop(5_000);
  expect(logLines).toHaveLength(4);
});

test('restarts a process whose event loop is blocked, and keeps one with a heartbeat', async () => {
  const { supervised, logLines, pid } = await keep([], { heartbeatTimeoutMs: 400 });
  const first = pid();
  // Longer than the heartbeat timeout: 30 heartbeats of 20 ms.
  let heartbeats = 0;
  supervised.current()?.process.on('message', () => void heartbeats++);
  await expect.poll(() => heartbeats > 30 || logLines.length > 0, BUSY).toBe(true);
  expect([logLines, pid()]).toEqual([[], first]);
  process.kill(first as number, 'SIGSTOP');
  await expect
    .poll(() => logLines, BUSY)
    .toEqual([
      SERVER.childStuck('child', 0.4),
      expect.stringContaining('SIGKILL'),
      SERVER.childBack('child'),
    ]);
  expect(pid()).not.toBe(first);
  expect(logLines).toHaveLength(3);
});

test('does not retry a first start that ends, or a replacement that is not ready in time', async () => {
  await expect(keep(['refuses'])).rejects.toThrow(SERVER.byCode(3));
  const { supervised, pid, logLines, forked } = await keep(['well', 'never'], { startTimeoutMs: 1_500 });
  const first = pid();
  await expect(supervised.replace()).rejects.toThrow(ProcessNotReady);
  expect(forked.at(-1)?.signalCode).toBe('SIGKILL');
  expect(pid()).toBe(first);
  const old = await supervised.replace();
  expect([old?.process.pid, logLines]).toEqual([first, []]);
  expect(pid()).not.toBe(first);
  old?.process.kill('SIGKILL');
  await old?.exit;
  expect(supervised.current()?.process.exitCode).toBeNull();
});

test('restarts a process that the system could not start at once', async () => {
  let failures = 0;
  const { logLines, pid } = await keep(['well'], {
    fork() {
      if (++failures === 2) return fork(CHILD, ['well'], { execArgv: [], execPath: '/nowhere/node' });
      if (failures === 3) throw Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' });
      return fork(CHILD, ['well'], { execArgv: [] });
    },
  });
  const first = pid();
  process.kill(first as number, 'SIGKILL');
  await expect.poll(() => logLines.at(-1), BUSY).toBe(SERVER.childBack('child'));
  expect(pid()).not.toBe(first);
  expect(logLines.slice(1, 3)).toEqual([
    expect.stringContaining('ENOENT'),
    expect.stringContaining('EAGAIN'),
  ]);
});

test('kills a process that ignores SIGTERM', async () => {
  const { supervised } = await keep(['deaf']);
  const deaf = supervised.current();
  await supervised.stop(100);
  expect(await deaf?.exit).toEqual({ code: null, signal: 'SIGKILL' });
});

test('pauses double up to a maximum, with randomness, and start again after a healthy time', () => {
  const least = createBackoff({ shortest: 100, longest: 300, healthy: 1_000 }, () => 0);
  expect([0, 10, 999, 0, 1_000, 0].map(least.after)).toEqual([75, 150, 225, 225, 75, 150]);
  const most = createBackoff({ shortest: 100, longest: 300, healthy: 1_000 }, () => 1);
  expect(most.after(0)).toBe(125);
});

test('holds a port while another server listens on it, and refuses a port in use', async () => {
  const port = await holdPort('127.0.0.1', 0, {});
  const number = Number(new URL(port.url).port);
  const server = createServer().listen({ fd: port.fd });
  await expect.poll(() => server.listening).toBe(true);
  await expect(holdPort('127.0.0.1', number, {})).rejects.toThrow(PortInUse);
  expect((await holdPort('127.0.0.1', 4321, { LISTEN_PID: String(process.pid), LISTEN_FDS: '1' })).fd).toBe(
    3,
  );
  expect((await holdPort('127.0.0.1', 0, { LISTEN_PID: '1', LISTEN_FDS: '1' })).fd).not.toBe(3);
  server.close();
});

test('counts frames of any length, split at any position', () => {
  const head = (length: number) => {
    if (length < 126) return Buffer.from([0x81, length]);
    const long = Buffer.alloc(length < 65_536 ? 4 : 10);
    long[0] = 0x81;
    long[1] = length < 65_536 ? 126 : 127;
    if (length < 65_536) long.writeUInt16BE(length, 2);
    else long.writeBigUInt64BE(BigInt(length), 2);
    return long;
  };
  const ends = new Set<number>([0]);
  const pieces = [3, 0, 125, 126, 65_535, 65_536, 1].flatMap((length) => [
    head(length),
    Buffer.alloc(length),
  ]);
  let sum = 0;
  for (const [index, piece] of pieces.entries()) {
    sum += piece.length;
    if (index % 2 === 1) ends.add(sum);
  }
  const all = Buffer.concat(pieces);
  const frames = createFrameTracker();
  for (let at = 0; at < all.length; at += 7) {
    expect(frames.isBetweenFrames(), `at ${at}`).toBe(ends.has(at));
    frames.read(all.subarray(at, at + 7));
  }
  expect(frames.isBetweenFrames()).toBe(true);
});

/** A supervised process that records its calls. */
function pretended(log: string[], name: string, renews = true): SupervisedProcess<ProcessMessage> {
  return {
    first: { type: 'ready' },
    current: () => undefined,
    restartNow: async () => log.push(`${name} anew`) > 0 && renews,
    replace: async () => void log.push(`${name} replaced`),
    stop: async () => {},
    kill() {},
  };
}

test('restarts the backend first and only if it has changed, and keeps the old site after a failure', async () => {
  const environment = { STOPPRESS_DATA: '/nowhere' };
  const logLines = { settings: readServerSettings(environment), environment };
  let mailed: Record<string, string> = {};
  let wrong = false;
  async function renewing(renews: boolean) {
    const log: string[] = [];
    const { deploy: renew } = await createUpgrades({
      site: pretended(log, 'site'),
      backend: pretended(log, 'backend', renews),
      configuration: logLines,
      async read() {
        if (wrong) throw new SettingsError(['PORT is wrong.']);
        const now = { ...environment, ...mailed };
        return { settings: readServerSettings(now), environment: now };
      },
      adopt: ({ environment: now }) => void log.push(`adopted ${Object.keys(now).length}`),
      log: (sentence) => void log.push(sentence),
    });
    return { log, renew };
  }

  const well = await renewing(true);
  // Requests during a restart cause one more.
  await Promise.all([well.renew(), well.renew(), well.renew()]);
  const plain = [
    'adopted 1',
    SERVER.renewing,
    'site replaced',
    expect.stringContaining('took over the port'),
  ];
  expect(well.log).toEqual([...plain, ...plain]);
  mailed = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a@mail.example' };
  well.log.length = 0;
  await well.renew();
  expect(well.log.slice(0, 4)).toEqual([
    'adopted 3',
    SERVER.backendRenewing,
    'backend anew',
    SERVER.renewing,
  ]);

  const ill = await renewing(false);
  await ill.renew();
  expect(ill.log.slice(1)).toEqual([SERVER.backendRenewing, 'backend anew', SERVER.backendNotRenewed]);

  for (const fixed of [
    { PORT: '80' },
    { SITE_URL: 'https://news.example' },
    { STOPPRESS_DATA: '/elsewhere' },
    { SUPABASE_SECRET_KEY: `sb_secret_${'k'.repeat(40)}` },
  ] as Record<string, string>[]) {
    mailed = fixed;
    ill.log.length = 0;
    await ill.renew();
    expect(ill.log, JSON.stringify(fixed)).toEqual([SERVER.placeNotRenewed]);
  }
  wrong = true;
  ill.log.length = 0;
  await ill.renew();
  expect(ill.log).toEqual(['PORT is wrong.', SERVER.settingsNotRenewed]);
});
