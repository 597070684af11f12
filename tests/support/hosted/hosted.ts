import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import postgres, { type Sql } from 'postgres';
import {
  listMigrations,
  removeProvidedExtensions,
} from '../../../packages/embedded-supabase/src/migrations.ts';
import { MIGRATIONS } from '../data-folders.ts';
import { type Cluster, startCluster } from '../postgres-cluster.ts';

/** A database with the owners and grants that a hosted project has before its first migration. */
export type Project = {
  /** URL of the role `postgres`, which runs migrations, owns their objects and is no superuser. */
  url: string;
  /** URL of the role `supabase_admin`, which only the platform uses. */
  adminUrl: string;
};

export type Hosted = {
  /**
   * Creates a project.
   * @param open grants everything in the schema public to all roles by default, as in projects made before 2026
   */
  project(name: string, open?: boolean): Promise<Project>;
  end(): Promise<void>;
};

const EMBEDDED = resolve('packages/embedded-supabase/src');
/** Scripts of the embedded backend that create the tables of a project's services. */
const SERVICES = ['realtime/realtime.sql', 'storage/storage.sql', 'jobs/extensions.sql'];

const OPEN = ['tables', 'functions', 'sequences'].map(
  (kind) =>
    `alter default privileges for role postgres in schema public grant all on ${kind} to postgres, anon, authenticated, service_role;`,
);

/**
 * Starts a PostgreSQL server with the roles and the collation of a hosted project. It lacks the hosted extensions, so
 * migrations must pass through `adaptMigration`.
 */
export async function startHosted(bin: string): Promise<Hosted> {
  const cluster: Cluster = await startCluster(bin, {
    superuser: 'supabase_admin',
    locale: ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'],
  });
  const password = randomBytes(12).toString('hex');
  const run = (url: string, scripts: string[]) =>
    withConnection(url, async (sql) => {
      for (const script of scripts) await sql.unsafe(script).simple();
    });
  const own = (name: string) => readFile(join(import.meta.dirname, `${name}.sql`), 'utf8');
  try {
    const passwords = ['postgres', 'authenticator'].map(
      (role) => `alter role ${role} password '${password}'`,
    );
    await run(cluster.url(), [await own('roles'), ...passwords]);
  } catch (error) {
    await cluster.end();
    throw error;
  }
  return {
    async project(name, open = false) {
      await run(cluster.url(), [`create database "${name}" owner postgres`]);
      const adminUrl = cluster.url(name);
      const services = SERVICES.map((script) => readFile(join(EMBEDDED, script), 'utf8'));
      const grants = [await own('grants'), ...(open ? OPEN : [])];
      await run(adminUrl, [
        await own('auth'),
        await own('claims'),
        ...(await Promise.all(services)),
        ...grants,
      ]);
      const url = new URL(adminUrl);
      url.username = 'postgres';
      url.password = password;
      return { url: url.href, adminUrl };
    },
    end: cluster.end,
  };
}

/** Runs work on a new connection, and closes the connection. */
export async function withConnection<Result>(
  url: string,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

const POLICY = /^create policy[^;]+?\bon (?:storage|realtime|auth)\.[^;]+;/gim;

/**
 * Adapts a migration to the server of `startHosted`. Removes statements about extensions that Debian lacks, because
 * their schemas exist already. Creates policies on the tables of services through `supautils.policy`, which replaces
 * the extension of hosted projects that permits them.
 */
export const adaptMigration = (script: string): string =>
  removeProvidedExtensions(script).replaceAll(
    POLICY,
    (policy) => `select supautils.policy($policy$${policy}$policy$);`,
  );

const HISTORY = `create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (version text primary key, statements text[], name text)`;

/** Runs the product's migrations in order as `postgres`, each in one transaction with its history row. */
export const migrateHosted = ({ url }: Project): Promise<void> =>
  withConnection(url, async (sql) => {
    await sql.unsafe(HISTORY).simple();
    for (const { file, version, name } of await listMigrations(MIGRATIONS)) {
      const script = adaptMigration(await readFile(join(MIGRATIONS, file), 'utf8'));
      const running = sql.begin(async (transaction) => {
        await transaction.unsafe(script).simple();
        await transaction`insert into supabase_migrations.schema_migrations values (${version}, null, ${name})`;
      });
      await running.catch((error: Error) => {
        throw new Error(`${file}: ${error.message}`, { cause: error });
      });
    }
  });

/** Writes the adapted migrations to a folder, for the Supabase CLI. */
export async function writeAdaptedMigrations(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { file } of await listMigrations(MIGRATIONS)) {
    await writeFile(join(folder, file), adaptMigration(await readFile(join(MIGRATIONS, file), 'utf8')));
  }
}

/** Replaces comments and literals by blanks of the same length. Dollar-quoted function bodies stay. */
const readable = (script: string) =>
  script
    .replace(/\/\*[\s\S]*?\*\/|--[^\n]*/g, (comment) => ' '.repeat(comment.length))
    .replace(/'(?:[^']|'')*'/g, (text) => `'${' '.repeat(text.length - 2)}'`);

const CHANGE =
  /\b(?:update\s+(?!set\b)(?:only\s+)?[\w.]+(?:\s+(?:as\s+)?\w+)?\s+set|delete\s+from\s+[\w.]+)\b/gi;

/**
 * Finds statements that change or delete rows without a WHERE clause. The API of a hosted project refuses them
 * (`safeupdate`), inside functions too.
 */
export function findUnconditionalStatements(script: string): string[] {
  const text = readable(script);
  return [...text.matchAll(CHANGE)].flatMap((match) => {
    const statement = text.slice(match.index, endOf(text, match.index));
    return /\bwhere\b/i.test(withoutParentheses(statement)) ? [] : [statement.replace(/\s+/g, ' ').trim()];
  });
}

/** Returns the end of a statement: its semicolon, the parenthesis around it, or the end of the function body. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth < 0) return at;
    if (depth === 0 && (text[at] === ';' || text.startsWith('$$', at))) return at;
  }
  return text.length;
}

function withoutParentheses(statement: string): string {
  const without = statement.replace(/\([^()]*\)/g, ' ');
  return without === statement ? statement : withoutParentheses(without);
}
