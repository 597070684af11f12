import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  netFlags,
  permittedVariables,
  readEnvFile,
  readFunctionsConfig,
  undeclaredImports,
} from '../../../packages/embedded-supabase/src/functions/config.ts';
import {
  type FunctionCall,
  openFunctions,
  openRunner,
  type ServedFunction,
} from '../../../packages/embedded-supabase/src/functions/functions.ts';
import {
  type FunctionProcess,
  functionLog,
  NotListeningError,
} from '../../../packages/embedded-supabase/src/functions/process.ts';
import type { FunctionErrorCode } from '../../../packages/embedded-supabase/src/functions/refusals.ts';
import { functionRoutes, openCallQueue } from '../../../packages/embedded-supabase/src/functions/routes.ts';
import { SERVER_TOKEN_HEADER } from '../../../packages/embedded-supabase/src/gateway/rate-limits.ts';
import type { Keys } from '../../../packages/embedded-supabase/src/keys.ts';
import {
  type Claims,
  InvalidTokenError,
  type Tokens,
} from '../../../packages/embedded-supabase/src/tokens.ts';
import { eventually } from '../../support/eventually.ts';

describe('network permissions of a function', () => {
  const flags = (net: unknown) => netFlags({ permissions: { default: { net } } }, ['127.0.0.1:1']);

  test('contain the backend only, unless deno.json adds hosts', () => {
    expect(netFlags(undefined, ['127.0.0.1:1'])).toEqual(['--allow-net=127.0.0.1:1']);
    expect(flags(undefined)).toEqual(['--allow-net=127.0.0.1:1']);
    expect(flags(false)).toEqual(['--allow-net=127.0.0.1:1']);
    expect(flags(['a.example', 'b.example:443'])).toEqual([
      '--allow-net=127.0.0.1:1,a.example,b.example:443',
    ]);
    expect(flags(true)).toEqual(['--allow-net']);
    expect(flags({ allow: true, deny: ['10.0.0.0/8'] })).toEqual(['--allow-net', '--deny-net=10.0.0.0/8']);
  });

  test('refuse values that Deno would not understand', () => {
    for (const net of ['all', [1], ['a b'], { allow: 'all' }, { deny: true }]) {
      expect(() => flags(net)).toThrow('permissions.default.net');
    }
  });
});

test('removes variables that deno.json does not allow', () => {
  const environment = { SUPABASE_URL: 'a', SUPABASE_SECRET_KEYS: 'b' };
  const allowedBy = (env: unknown) =>
    permittedVariables(environment, {}, { permissions: { default: { env } } });
  expect(permittedVariables(environment, {}, undefined)).toEqual(environment);
  expect(allowedBy(true)).toEqual(environment);
  expect(allowedBy({ deny: ['SUPABASE_SECRET_KEYS'] })).toEqual({ SUPABASE_URL: 'a' });
  expect(() => allowedBy({ deny: true })).toThrow('permissions.default.env');
});

test('ignores variables of .env that only Supabase, Deno or the system may set', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'functions-env-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const reserved = ['SUPABASE_URL', 'SB_REGION', 'DENO_DIR', 'NODE_OPTIONS', 'LD_PRELOAD', 'dyld_path'];
  const lines = [...reserved, 'NEWSROOM_WORD'].map((name) => `${name}=own\n`);
  await writeFile(join(folder, '.env'), lines.join(''));
  expect(readEnvFile(folder)).toEqual({ NEWSROOM_WORD: 'own' });
});

test('passes optional variables only to functions that name them', () => {
  const environment = { SMTP_URL: 'a', MAIL_FROM: 'b' };
  const requestedBy = (env: unknown) =>
    permittedVariables({}, environment, { permissions: { default: { env } } });
  expect(permittedVariables({}, environment, undefined)).toEqual({});
  expect(requestedBy(true)).toEqual({});
  expect(requestedBy({ deny: ['SMTP_URL'] })).toEqual({});
  expect(requestedBy({ allow: ['SMTP_URL', 'PATH'] })).toEqual({ SMTP_URL: 'a' });
  expect(() => requestedBy({ allow: true })).toThrow('permissions.default.env');
});

test('needs packages to be declared where a hosted project reads them', () => {
  const graph = {
    modules: [
      {
        kind: 'esm',
        dependencies: ['./a.ts', '../b.ts', 'node:fs', 'npm:c@1', 'named', 'tree/leaf', 'bare'],
      },
      { kind: 'external', dependencies: ['external'] },
    ].map(({ kind, dependencies }) => ({
      kind,
      dependencies: dependencies.map((specifier) => ({ specifier })),
    })),
  };
  expect(undeclaredImports(graph, { named: 'npm:named@1', 'tree/': 'npm:tree@1/' })).toEqual(['bare']);
});

test("prefixes printed lines with the function's name, and limits them", async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const stream = new PassThrough();
  const lines: string[] = [];
  const log = vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(line));
  onTestFinished(() => log.mockRestore());
  functionLog('tips')(stream, 'error');
  stream.write('one\nt');
  stream.write(`wo\r\u001b[2J\n${'x'.repeat(20_000)}\n`);
  for (let piece = 0; piece < 4; piece++) stream.write('y'.repeat(5_000));
  stream.write('\n');
  stream.write('more\n'.repeat(200));
  const ended = once(stream, 'end');
  stream.end('last');
  await ended;
  expect(lines.slice(0, 2)).toEqual(['function tips: one', 'function tips: two  [2J']);
  expect(lines.slice(2, 4)).toEqual(['x', 'y'].map((sign) => `function tips: ${sign.repeat(10_000)}`));
  expect(lines).toHaveLength(100);
});

describe('config.toml', () => {
  let project: string;

  beforeEach(async () => {
    project = await mkdtemp(join(tmpdir(), 'functions-'));
    for (const name of ['plain', 'with-settings', '_shared', 'node_modules']) {
      await mkdir(join(project, 'functions', name), { recursive: true });
    }
    await writeFile(join(project, 'functions/with-settings/deno.json'), '{}');
  });
  afterEach(() => rm(project, { recursive: true }));

  const read = async (toml: string) => {
    await writeFile(join(project, 'config.toml'), toml);
    return readFunctionsConfig(join(project, 'functions'));
  };

  test("has Supabase's defaults and the configured values", async () => {
    const { enabled, functions } = await read(
      '[functions.with-settings]\nverify_jwt = false\nenabled = false\n[functions.other]\nentrypoint = "./functions/with-settings/b.ts"',
    );
    expect(enabled).toBe(true);
    expect([...functions.keys()]).toEqual(['plain', 'with-settings', 'other']);
    const configured = join(project, 'functions/with-settings');
    expect(functions.get('plain')).toEqual({
      name: 'plain',
      enabled: true,
      verifyJwt: true,
      entrypoint: join(project, 'functions/plain/index.ts'),
      denoJson: undefined,
    });
    expect(functions.get('with-settings')).toMatchObject({ enabled: false, verifyJwt: false });
    expect(functions.get('other')).toMatchObject({
      entrypoint: join(configured, 'b.ts'),
      denoJson: join(configured, 'deno.json'),
    });
  });

  test('refuses unsupported settings at the start', async () => {
    await expect(read('[edge_runtime]\npolicy = "oneshot"')).rejects.toThrow('edge_runtime.policy');
    await expect(read('[functions.plain]\nverify_jwt = "no"')).rejects.toThrow('functions.plain.verify_jwt');
    await expect(read('[functions."a/b"]\n')).rejects.toThrow('not a valid name of a function');
  });

  test('warns at the start about functions in a folder without packages', async () => {
    const errorLog = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => errorLog.mockRestore());
    const context = { keys: {} as Keys, tokens: {} as Tokens, siteUrl: 'http://127.0.0.1:1' };
    const openIn = async (folder: string) => {
      const place = {
        project: resolve('.'),
        folder,
        data: join(project, 'data'),
        url: context.siteUrl,
        optInVariables: {},
      };
      await openFunctions(await read(''), place, context).stop();
    };
    await openIn(resolve('supabase/functions'));
    expect(errorLog).not.toHaveBeenCalled();
    await openIn(join(project, 'functions'));
    expect(errorLog).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('find no npm packages'));
  });
});

test('reports a missing Deno once, refuses calls, and recovers', async () => {
  const data = await mkdtemp(join(tmpdir(), 'deno-'));
  onTestFinished(() => rm(data, { recursive: true }));
  const errorLog = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => errorLog.mockRestore());
  const lines = () =>
    errorLog.mock.calls.map(([line]) => String(line)).filter((line) => /Functions/.test(line));
  const clock = vi.spyOn(performance, 'now');
  onTestFinished(() => clock.mockRestore());
  // A fake Deno that listens and answers.
  const binary = join(data, 'deno');
  const listens = `#!${process.execPath}
    const answer = (socket) => socket.on('data', () => socket.write('HTTP/1.1 204 No Content\\r\\n\\r\\n'));
    require('node:net').createServer(answer).listen(process.argv.at(-3), () => process.send('listening'));
    process.on('message', () => process.exit(0));`;
  const place = {
    project: resolve('.'),
    folder: resolve('supabase/functions'),
    data,
    url: 'http://127.0.0.1:1',
    optInVariables: {},
  };
  let denoPath: string | undefined;
  const keys = { publishable: 'a', secret: 'b' } as Keys;
  const functions = openFunctions(
    await readFunctionsConfig(place.folder),
    { ...place, findDenoBinary: () => denoPath },
    { keys, tokens: { jwks: { keys: [] } } as unknown as Tokens, siteUrl: place.url },
  );
  const call = async () => {
    const called = await functions.find('submit-tip')?.runner.call();
    if (typeof called !== 'object') return called;
    called.connection.destroy();
    return 'called';
  };
  // Retries are a second apart.
  let at = 0;
  clock.mockImplementation(() => {
    at += 2_000;
    return at;
  });

  expect([await call(), await call()]).toEqual(['BOOT_ERROR', 'BOOT_ERROR']);
  expect(lines()).toHaveLength(1);
  await writeFile(binary, listens, { mode: 0o600 });
  denoPath = binary;
  expect(await call()).toBe('BOOT_ERROR');
  expect(lines()).toEqual([expect.stringContaining('npm has no Deno for this machine')]);
  await chmod(binary, 0o700);
  expect(await call()).toBe('called');
  expect(lines()[1]).toContain('Functions run again.');
  await functions.stop();
});

describe('openRunner', () => {
  /** A process that listens or does not. */
  async function process(listens: boolean) {
    const { promise, resolve } = Promise.withResolvers<FunctionErrorCode>();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    if (!listens) resolve('BOOT_ERROR');
    const fake: FunctionProcess & { kill(): void } = {
      ready: Promise.resolve(listens),
      ended: promise,
      async connect() {
        if (!server.listening) throw new NotListeningError();
        const connection = connect((server.address() as AddressInfo).port, '127.0.0.1');
        await once(connection, 'connect');
        onTestFinished(() => void connection.destroy());
        return connection;
      },
      end: vi.fn(async () => resolve('WORKER_RESOURCE_LIMIT')),
      /** Its end has not been noticed yet. */
      kill: () => void server.close(),
    };
    return fake;
  }

  const called = async (runner: ReturnType<typeof openRunner>): Promise<FunctionCall> => {
    const call = await runner.call();
    if (typeof call === 'string') throw new Error(call);
    return call;
  };

  const close = async ({ connection }: FunctionCall) => {
    connection.destroy();
    await once(connection, 'close');
  };

  test('starts once for concurrent calls, and ends when it is idle', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const only = await process(true);
    const start = vi.fn(() => only);
    const runner = openRunner(start, 1_000);
    const calls = [await called(runner), await called(runner)];
    expect(start).toHaveBeenCalledTimes(1);
    for (const call of calls) {
      vi.advanceTimersByTime(5_000);
      await close(call);
    }
    vi.advanceTimersByTime(999);
    const late = await called(runner);
    vi.advanceTimersByTime(5_000);
    await close(late);
    vi.advanceTimersByTime(999);
    expect(only.end).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(only.end).toHaveBeenCalledTimes(1);
    start.mockReturnValue(await process(true));
    await called(runner);
    expect(start).toHaveBeenCalledTimes(2);
  });

  test('starts another process when the first one has ended before anything was sent', async () => {
    const [dead, next] = [await process(true), await process(true)];
    const start = vi.fn().mockReturnValueOnce(dead).mockReturnValueOnce(next);
    const runner = openRunner(start);
    await close(await called(runner));
    dead.kill();
    expect((await called(runner)).ended).toBe(next.ended);
    expect(dead.end).toHaveBeenCalled();
    await runner.stop();
    expect(next.end).toHaveBeenCalled();
  });

  test('limits concurrent calls', async () => {
    const only = await process(true);
    const runner = openRunner(() => only, 1_000, 2);
    const first = await called(runner);
    await called(runner);
    expect(await runner.call()).toBe('TOO_MANY_REQUESTS');
    await close(first);
    await called(runner);
    await runner.stop();
  });

  test('starts one process for many calls when none begins to listen', async () => {
    const silent = await process(false);
    const start = vi.fn(() => silent);
    const runner = openRunner(start);
    expect(await Promise.all([runner.call(), runner.call()])).toEqual(['BOOT_ERROR', 'BOOT_ERROR']);
    expect(await runner.call()).toBe('BOOT_ERROR');
    expect(start).toHaveBeenCalledTimes(1);
  });
});

describe('openCallQueue', () => {
  test('rejects a call that waits too long, and lets the next one in later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const limits = { maxRunning: 1, maxRunningPerNetwork: 1, maxWaiting: 2, maxWaitingPerNetwork: 1 };
    const queue = openCallQueue({ ...limits, maxWaitMs: 5_000 });
    const caller = { callerClass: 'visitor', take: () => 0, signal: new AbortController().signal };
    const enter = (network: string) => queue.enter({ ...caller, network });
    const running = await enter('192.0.2.1');
    const results: unknown[] = [];
    void enter('192.0.2.2').then((result) => results.push(result));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(results).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(results).toEqual([{ waitS: 5 }]);
    if ('finish' in running) running.finish();
    expect(await enter('192.0.2.2')).toHaveProperty('finish');
  });
});

describe('the gateway of functions', () => {
  const tokens = {
    async verify(token: string): Promise<Claims> {
      if (token !== 'token') throw new InvalidTokenError(false);
      return { role: 'authenticated', sub: 'ada' };
    },
  } as Tokens;
  const keys = { publishable: 'sb_publishable_x', secret: 'sb_secret_x', serverToken: 'token' } as Keys;

  function routesOf(call: () => Promise<FunctionCall | FunctionErrorCode>) {
    const one = { verifyJwt: false, runner: { call, stop: async () => {} } } as ServedFunction;
    const routes = functionRoutes({ find: () => one, stop: async () => {} }, { keys, tokens });
    return (address?: string, authorization = '') =>
      routes.request('/one', {
        headers: {
          [SERVER_TOKEN_HEADER]: keys.serverToken,
          authorization,
          ...(address && { 'x-forwarded-for': address }),
        },
      });
  }

  test('allows a client network twice the rate of tables, a member more, and the server everything', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let served = 0;
    const call = routesOf(async () => {
      served++;
      return 'BOOT_ERROR';
    });
    const within = async (ms: number) => {
      served = 0;
      await vi.advanceTimersByTimeAsync(ms);
      return served;
    };
    const sendCalls = (times: number, ...who: string[]) => Array.from({ length: times }, () => call(...who));
    const crowd = sendCalls(400, '192.0.2.1');
    expect(await within(0)).toBe(120);
    const refused = await Promise.race(crowd.slice(-40));
    expect([refused?.status, await refused?.json()]).toMatchObject([429, { code: 'TOO_MANY_REQUESTS' }]);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    sendCalls(10, '192.0.2.1', 'Bearer made-up');
    sendCalls(100, '192.0.2.1', 'Bearer token');
    expect(await within(0)).toBe(100);
    sendCalls(400, '192.0.2.1', 'Bearer sb_secret_x');
    sendCalls(400);
    expect(await within(0)).toBe(800);
    expect(await within(2_000)).toBe(40);
    await within(18_000);
    const answers = await Promise.all(crowd);
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(503), count(429)]).toEqual([264, 136]);
  });

  test('limits concurrent calls per client network', async () => {
    const waiting: (() => void)[] = [];
    const busy = routesOf(() => new Promise((resolve) => waiting.push(() => resolve('BOOT_ERROR'))));
    const first = Array.from({ length: 24 }, () => busy('192.0.2.1'));
    await eventually(() => expect(waiting).toHaveLength(24));
    const late = busy('192.0.2.1');
    const others = [busy('192.0.2.2'), busy()];
    await eventually(() => expect(waiting).toHaveLength(26));
    waiting.shift()?.();
    expect((await first[0])?.status).toBe(503);
    await eventually(() => expect(waiting).toHaveLength(26));
    for (const end of waiting.splice(0)) end();
    for (const answer of [...first, ...others, late]) expect((await answer).status).toBe(503);
  });
});
