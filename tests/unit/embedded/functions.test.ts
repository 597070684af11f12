import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readFunctionsConfig } from '../../../supabase/embedded/functions/config.ts';
import { NobodyThere } from '../../../supabase/embedded/functions/greeting.ts';
import { unnamedImports } from '../../../supabase/embedded/functions/imports.ts';
import { logOf } from '../../../supabase/embedded/functions/log.ts';
import { netFlags } from '../../../supabase/embedded/functions/permissions.ts';
import type { FunctionProcess } from '../../../supabase/embedded/functions/process.ts';
import type { Refusal } from '../../../supabase/embedded/functions/refusals.ts';
import { type Call, openRunner } from '../../../supabase/embedded/functions/runner.ts';

describe('the net of a function', () => {
  const flags = (net: unknown) => netFlags({ permissions: { default: { net } } }, ['127.0.0.1:1']);

  test('is the backend, until its deno.json says more', () => {
    expect(netFlags(undefined, ['127.0.0.1:1'])).toEqual(['--allow-net=127.0.0.1:1']);
    expect(flags(undefined)).toEqual(['--allow-net=127.0.0.1:1']);
    expect(flags(false)).toEqual(['--allow-net=127.0.0.1:1']);
    expect(flags(['a.example', 'b.example:443'])).toEqual([
      '--allow-net=127.0.0.1:1,a.example,b.example:443',
    ]);
    expect(flags(true)).toEqual(['--allow-net']);
    expect(flags({ allow: true, deny: ['10.0.0.0/8'] })).toEqual(['--allow-net', '--deny-net=10.0.0.0/8']);
  });

  test('is not guessed from what Deno would not understand', () => {
    for (const net of ['all', [1], ['a b'], { allow: 'all' }, { deny: true }]) {
      expect(() => flags(net)).toThrow('permissions.default.net');
    }
  });
});

test('a package must be named where a hosted project looks', () => {
  const graph = {
    modules: [
      {
        kind: 'esm',
        dependencies: ['./a.ts', '../b.ts', 'node:fs', 'npm:c@1', 'named', 'tree/leaf', 'bare'],
      },
      { kind: 'external', dependencies: ['their-own'] },
    ].map(({ kind, dependencies }) => ({
      kind,
      dependencies: dependencies.map((specifier) => ({ specifier })),
    })),
  };
  expect(unnamedImports(graph, { named: 'npm:named@1', 'tree/': 'npm:tree@1/' })).toEqual(['bare']);
});

test('what a function prints stays under its name, line by line, and has an end', () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  logOf('tips')(stream, (line) => lines.push(line));
  stream.write('one\nt');
  stream.write(`wo\r\u001b[2J\n${'x'.repeat(20_000)}\n`);
  stream.write('more\n'.repeat(200));
  stream.end('last');
  return vi.waitFor(() => {
    expect(lines.slice(0, 2)).toEqual(['function tips: one', 'function tips: two  [2J']);
    expect(lines[2]).toHaveLength('function tips: '.length + 10_000);
    expect(lines).toHaveLength(100);
  });
});

describe('config.toml', () => {
  let project: string;

  beforeEach(async () => {
    project = await mkdtemp(join(tmpdir(), 'functions-'));
    for (const name of ['plain', 'told', '_shared', 'node_modules']) {
      await mkdir(join(project, 'functions', name), { recursive: true });
    }
    await writeFile(join(project, 'functions/told/deno.json'), '{}');
  });
  afterEach(() => rm(project, { recursive: true }));

  const read = async (toml: string) => {
    await writeFile(join(project, 'config.toml'), toml);
    return readFunctionsConfig(join(project, 'functions'));
  };

  test('a folder has the defaults of Supabase, and what is said of it', async () => {
    const { enabled, functions } = await read(
      '[functions.told]\nverify_jwt = false\nenabled = false\n[functions.other]\nentrypoint = "./functions/told/b.ts"',
    );
    expect(enabled).toBe(true);
    expect([...functions.keys()]).toEqual(['plain', 'told', 'other']);
    const told = join(project, 'functions/told');
    expect(functions.get('plain')).toEqual({
      name: 'plain',
      enabled: true,
      verifyJwt: true,
      entrypoint: join(project, 'functions/plain/index.ts'),
      denoJson: undefined,
    });
    expect(functions.get('told')).toMatchObject({ enabled: false, verifyJwt: false });
    expect(functions.get('other')).toMatchObject({
      entrypoint: join(told, 'b.ts'),
      denoJson: join(told, 'deno.json'),
    });
  });

  test('what cannot be done here is refused at the start', async () => {
    await expect(read('[edge_runtime]\npolicy = "oneshot"')).rejects.toThrow('edge_runtime.policy');
    await expect(read('[functions.plain]\nverify_jwt = "no"')).rejects.toThrow('functions.plain.verify_jwt');
    await expect(read('[functions."a/b"]\n')).rejects.toThrow('no name for a function');
  });
});

describe('a runner', () => {
  /** A process that listens, or never comes to. */
  async function process(listens: boolean) {
    const { promise, resolve } = Promise.withResolvers<Refusal>();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    if (!listens) resolve('BOOT_ERROR');
    const fake: FunctionProcess & { kill(): void } = {
      ready: Promise.resolve(listens),
      ended: promise,
      async connect() {
        if (!server.listening) throw new NobodyThere();
        const connection = connect((server.address() as AddressInfo).port, '127.0.0.1');
        await once(connection, 'connect');
        onTestFinished(() => void connection.destroy());
        return connection;
      },
      end: vi.fn(async () => resolve('WORKER_RESOURCE_LIMIT')),
      /** Its end is not noticed yet. */
      kill: () => void server.close(),
    };
    return fake;
  }

  const called = async (runner: ReturnType<typeof openRunner>): Promise<Call> => {
    const call = await runner.call();
    if (typeof call === 'string') throw new Error(call);
    return call;
  };

  const close = async ({ connection }: Call) => {
    connection.destroy();
    await once(connection, 'close');
  };

  test('starts once for all who call, and ends when nobody has called for a while', async () => {
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

  test('takes another when the one before it has gone before anything was sent', async () => {
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

  test('does not start one for each of a crowd when none comes to listen', async () => {
    const silent = await process(false);
    const start = vi.fn(() => silent);
    const runner = openRunner(start);
    expect(await Promise.all([runner.call(), runner.call()])).toEqual(['BOOT_ERROR', 'BOOT_ERROR']);
    expect(await runner.call()).toBe('BOOT_ERROR');
    expect(start).toHaveBeenCalledTimes(1);
  });
});
