import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { COMPILE_CACHE, freePort } from '../../support/processes.ts';

/* The command line of the package in a project of its own, as `npx embedded-supabase` runs it. */

vi.setConfig({ testTimeout: 120_000 });

const BIN = resolve('node_modules/.bin');

const MIGRATION = `
create table public.notes (
  id bigint generated always as identity primary key,
  body text not null,
  author uuid not null default auth.uid()
);
alter table public.notes enable row level security;
create policy "authors use their notes" on public.notes to authenticated using (author = auth.uid());
grant select, insert on public.notes to authenticated;
`;

const FUNCTION = `
Deno.serve(async (request) => Response.json({ greeting: 'Hello ' + (await request.json()).name }));
`;

let project: string;
let port: number;
/** Secret key of the first start. */
let secretKey: string;
const environment = { PATH: `${BIN}:${process.env.PATH}`, EMBEDDED_SUPABASE_LOG: 'text', ...COMPILE_CACHE };

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'small-project-'));
  port = await freePort();
  const files = {
    'config.toml': `project_id = "small"\n[api]\nport = ${port}\nschemas = ["public", "internal"]\n`,
    'migrations/20260101000000_notes.sql': MIGRATION,
    'seed.sql': 'create table public.seeded ();',
    'functions/hello/index.ts': FUNCTION,
    'functions/remote/index.ts': `import 'jsr:@std/path@1';\n${FUNCTION}`,
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(project, 'supabase', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
});
afterAll(() => rm(project, { recursive: true, force: true }));

type Started = {
  child: ChildProcess;
  url: string;
  publishableKey: string;
  secretKey: string;
  /** Text that the backend has written to standard error. */
  errors(): string;
};

/** Starts the backend and reads its address from its output. */
async function start(): Promise<Started> {
  const child = spawn(join(BIN, 'embedded-supabase'), { cwd: project, env: environment });
  let output = '';
  let errors = '';
  child.stderr.on('data', (piece) => {
    errors += piece;
  });
  for await (const piece of child.stdout) {
    output += piece;
    const [, url, publishableKey, secretKey] =
      /API URL: +(\S+)\nPublishable key: +(\S+)\nSecret key: +(\S+)\n/.exec(output) ?? [];
    if (url && publishableKey && secretKey)
      return { child, url, publishableKey, secretKey, errors: () => errors };
  }
  throw new Error(`It ended: ${output}`);
}

async function stop({ child }: Started): Promise<number | null> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  return (await exited)[0] as number | null;
}

const run = (...args: string[]) =>
  promisify(execFile)(join(BIN, 'embedded-supabase'), args, { cwd: project, env: environment }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );

describe('embedded-supabase in a project of its own', () => {
  it('serves accounts, tables with policies and functions to supabase-js', async () => {
    const backend = await start();
    secretKey = backend.secretKey;
    try {
      expect(backend.url).toBe(`http://127.0.0.1:${port}`);
      const client = createClient(backend.url, backend.publishableKey);
      expect((await client.from('notes').select()).error).toMatchObject({ code: '42501' });

      const account = { email: 'ann@example.com', password: 'correct horse battery' };
      expect((await client.auth.signUp(account)).error).toBeNull();
      expect((await client.from('notes').insert({ body: 'First.' })).error).toBeNull();
      expect((await client.from('notes').select('body')).data).toEqual([{ body: 'First.' }]);

      const { data } = await client.functions.invoke('hello', { body: { name: 'Ann' } });
      expect(data).toEqual({ greeting: 'Hello Ann' });

      const remote = await client.functions.invoke('remote', { body: { name: 'Ann' } });
      expect(remote.error).not.toBeNull();
      // seed.sql is not run.
      expect((await client.from('seeded').select()).error).toMatchObject({ code: 'PGRST205' });

      expect(await client.schema('internal').from('notes').select()).toMatchObject({
        status: 406,
        error: { code: 'PGRST106', hint: 'Only the following schemas are exposed: public' },
      });
      expect(backend.errors()).toContain('Requests to it are refused. (schema internal)');
    } finally {
      expect(await stop(backend)).toBe(0);
    }
  });

  it('keeps keys and rows in .embedded-supabase, and restores them from a backup', async () => {
    expect(await run('backup', 'backups/')).toEqual({ code: 0, stderr: '' });
    const [archive = ''] = await readdir(join(project, 'backups'));
    expect(archive).toMatch(/^backup-\d{8}-\d{6}\.tar\.gz$/);

    const refused = await run('restore', `backups/${archive}`);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--overwrite') });
    expect(await run('restore', `backups/${archive}`, '--overwrite')).toMatchObject({ code: 0 });

    const backend = await start();
    try {
      expect(backend.secretKey).toBe(secretKey);
      const service = createClient(backend.url, backend.secretKey);
      expect((await service.auth.admin.listUsers()).data.users.map(({ email }) => email)).toEqual([
        'ann@example.com',
      ]);
    } finally {
      expect(await stop(backend)).toBe(0);
    }
  });

  it('names a function that imports a package at run time', async () => {
    const checked = await run('check-functions', 'supabase/functions');
    expect(checked).toMatchObject({ code: 1, stderr: expect.stringContaining('remote/index.ts') });
  });

  it('shows its commands for an unknown one', async () => {
    expect(await run('serve')).toMatchObject({ code: 1, stderr: expect.stringContaining('check-functions') });
  });
});
