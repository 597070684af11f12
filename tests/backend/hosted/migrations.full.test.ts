import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listMigrations } from '../../../packages/embedded-supabase/src/migrations.ts';
import { ENGINE, MIGRATIONS } from '../../support/data-folders.ts';
import { openCatalog } from '../../support/database.ts';
import {
  adaptMigration,
  findUnconditionalStatements,
  type Hosted,
  migrateHosted,
  type Project,
  startHosted,
  withConnection,
  writeAdaptedMigrations,
} from '../../support/hosted/hosted.ts';
import { findPostgres } from '../../support/postgres-cluster.ts';

/*
 * The migrations on a PostgreSQL prepared like a hosted project: the role that runs them is no superuser, and other
 * roles own the schemas of the services. docs/hosted.md lists what only a hosted project can show.
 */

/** The Supabase CLI, which `npm run tools` installs. */
const CLI = resolve('tests/node_modules/.bin/supabase');

const RULES = 'tests/support/hosted/rules.sql';

describe.skipIf(ENGINE !== 'postgres')('a database prepared like a hosted project', () => {
  let hosted: Hosted;
  let project: Project;
  beforeAll(async () => {
    hosted = await startHosted(findPostgres() ?? '');
    project = await hosted.project('project');
    await migrateHosted(project);
  });
  afterAll(() => hosted?.end());

  const rulesOf = async (url: string) => {
    const query = await readFile(RULES, 'utf8');
    return withConnection(url, async (sql) =>
      (await sql.unsafe<{ line: string }[]>(query)).map(({ line }) => line).sort(),
    );
  };

  test('has the same rules as the embedded backend after all migrations', async () => {
    const catalog = await openCatalog();
    const query = await readFile(RULES, 'utf8');
    const lines = (await catalog.rows<{ line: string }>(query)).map(({ line }) => line).sort();
    await catalog.close();
    expect(lines.length).toBeGreaterThan(400);
    expect(await rulesOf(project.adminUrl)).toEqual(lines);
  });

  test('has the same rules if the project grants everything in public by default', async () => {
    const open = await hosted.project('open', true);
    await migrateHosted(open);
    expect(await rulesOf(open.adminUrl)).toEqual(await rulesOf(project.adminUrl));
  });

  test.each([
    ['a column for a table of the accounts', 'alter table auth.users add column nickname text'],
    ['an index on the files', 'create index files_by_owner on storage.objects (owner)'],
    ['a comment on the messages', "comment on table realtime.messages is 'ours'"],
    ['the messages unguarded', 'alter table realtime.messages disable row level security'],
    [
      'a function among the accounts',
      'create function auth.nobody() returns text language sql as $$ select null::text $$',
    ],
    ['a policy on the jobs', 'create policy "all" on cron.job using (true)'],
    [
      'a job that is written into the table',
      "insert into cron.job (schedule, command) values ('* * * * *', 'select 1')",
    ],
    ['a role that passes every policy by itself', 'alter role authenticated superuser'],
    [
      'the server told to do something',
      'create table private.said (line text); copy private.said from program $$ id $$',
    ],
    ['a dictionary of its own files', 'create text search template private.mine (lexize = dsimple_lexize)'],
    ['an untrusted language', 'create extension file_fdw'],
  ])('refuses a migration with %s', async (_, statement) => {
    const tried = withConnection(project.url, (sql) =>
      sql.unsafe(adaptMigration(`begin; ${statement}; rollback;`)).simple(),
    );
    await expect(tried).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|42704)$/) });
  });

  test('has no statement without a WHERE clause, which its API refuses', async () => {
    const statements: string[] = [];
    for (const { file } of await listMigrations(MIGRATIONS)) {
      statements.push(
        ...findUnconditionalStatements(await readFile(join(MIGRATIONS, file), 'utf8')).map(
          (one) => `${file}: ${one}`,
        ),
      );
    }
    expect(statements).toEqual([]);
  });

  test('runs every job as its owner, without claims', async () => {
    await withConnection(project.url, async (sql) => {
      const jobs = await sql<{ command: string; username: string }[]>`select command, username from cron.job`;
      expect(jobs.length).toBeGreaterThan(5);
      for (const { command, username } of jobs) {
        expect(username).toBe('postgres');
        await sql.unsafe(command).simple();
      }
    });
  });

  test('accepts config.toml and every migration once through the Supabase CLI', async () => {
    const bare = await hosted.project('bare');
    const home = await mkdtemp(join(tmpdir(), 'stoppress-cli-'));
    const supabase = async (...args: string[]) => {
      const where = [`--remote=${bare.url}?sslmode=disable`, `--workdir=${home}`, '--yes'];
      const env = {
        PATH: process.env.PATH,
        HOME: home,
        SITE_URL: 'https://news.example',
        DO_NOT_TRACK: '1',
        SUPABASE_TELEMETRY_DISABLED: '1',
      };
      const { stdout, stderr } = await promisify(execFile)(CLI, [...args, ...where], { env });
      expect(stderr + stdout).not.toMatch(/WARN|deprecated|not recognize/i);
      return stdout + stderr;
    };
    try {
      await cp('supabase', join(home, 'supabase'), {
        recursive: true,
        filter: (path) => !/embedded|migrations/.test(path),
      });
      await writeAdaptedMigrations(join(home, 'supabase/migrations'));
      const versions = (await listMigrations(MIGRATIONS)).map(({ version }) => version);
      expect(await supabase('db', 'push', '--dry-run')).toContain(versions.at(-1));
      await supabase('db', 'push');
      expect(await supabase('db', 'push')).toContain('up to date');
      expect(await rulesOf(bare.adminUrl)).toEqual(await rulesOf(project.adminUrl));
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
