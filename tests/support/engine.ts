import { basename } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { inject } from 'vitest';

// A bench runs without the test runner, and on the engine that is brought along.
const cluster = process.env.VITEST ? inject('postgres') : undefined;

/** The engine that this project's backends run on. */
export const ENGINE = cluster === undefined ? 'pglite' : 'postgres';

/** The port of the tests' own PostgreSQL cluster, where there is one. */
export const clusterPort = cluster && new URL(cluster).port;

/** The database that belongs to a data folder of these tests: it has the folder's name. */
function databaseUrl(data: string): string | undefined {
  if (cluster === undefined) return undefined;
  const url = new URL(cluster);
  url.pathname = `/${basename(data)}`;
  return url.href;
}

/** What tells a backend where its data is. */
export function whereIs(data: string): Record<string, string> {
  const url = databaseUrl(data);
  return { STOPPRESS_DATA: data, ...(url && { DATABASE_URL: url }) };
}

/** Does something as the administrator of the tests' cluster; nothing, where there is none. */
export async function administer(work: (sql: Sql) => Promise<void>): Promise<void> {
  if (cluster === undefined) return;
  const sql = postgres(cluster, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

/** On PostgreSQL, makes the database that a backend finds there before its first start; there is nothing in it. */
export const makeEmptyDatabase = (data: string) =>
  administer(async (sql) => {
    await sql.unsafe(`create database "${basename(data)}"`);
  });

export const dropDatabase = (data: string) =>
  administer(async (sql) => {
    await sql.unsafe(`drop database if exists "${basename(data)}" with (force)`);
  });
