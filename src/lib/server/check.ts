import { fork } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { SETTINGS } from '../i18n/cli.ts';
import { type Environment, readSettings, SettingsError, unknownNames } from './settings.ts';

const PROGRAM = `${import.meta.dirname}/../../../packages/embedded-supabase/src/check-settings.ts`;

/** Environment variables that the backend reads. */
const BACKEND_VARIABLES = [
  'DATABASE_URL',
  'MAIL_FROM',
  'NODE_EXTRA_CA_CERTS',
  'SMTP_URL',
  'STOPPRESS_BACKUP_AT',
  'STOPPRESS_BACKUP_KEEP',
];

export type SettingsReport = {
  /** One sentence for each mistake. Any mistake prevents the start. */
  mistakes: string[];
  /** Settings that are valid but probably not intended; empty if there are mistakes. */
  warnings: string[];
};

/** Checks all settings of site and backend before anything is started. */
export async function checkSettings(environment: Environment): Promise<SettingsReport> {
  const get = (name: string) => environment[name]?.trim() || undefined;
  const mistakes = [...unknownNames(environment), ...mistakesOfSite(environment)];
  if (!get('PUBLIC_SUPABASE_URL')) mistakes.push(...(await mistakesOfBackend(environment)));
  const builds = resolve(get('STOPPRESS_BUILDS') ?? '.stoppress/builds');
  if (!isWritable(builds)) mistakes.push(SETTINGS.buildsFolder(builds));
  const proxies = Number(get('STOPPRESS_PROXIES') ?? 0);
  const warnings: string[] = [];
  if (get('SITE_URL')?.startsWith('http:') && proxies > 0) warnings.push(SETTINGS.plainSite);
  if (get('SITE_URL')?.startsWith('https:') && proxies === 0) warnings.push(SETTINGS.proxyNotDeclared);
  return { mistakes: [...new Set(mistakes)], warnings: mistakes.length > 0 ? [] : warnings };
}

function mistakesOfSite(environment: Environment): string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n');
    throw error;
  }
}

/** Keys and addresses are not passed on: `readSettings` has checked them. */
async function mistakesOfBackend(environment: Environment): Promise<string[]> {
  const data = resolve(environment.STOPPRESS_DATA?.trim() || '.stoppress/data');
  const given = BACKEND_VARIABLES.flatMap((name) => (environment[name] ? [[name, environment[name]]] : []));
  const child = fork(PROGRAM, {
    env: {
      ...Object.fromEntries(given),
      STOPPRESS_DATA: data,
      STOPPRESS_BACKUPS: resolve(environment.STOPPRESS_BACKUPS?.trim() || join(data, '../backups')),
      ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exited = once(child, 'exit');
  const report = await Promise.race([
    once(child, 'message').then(([message]) => message as { mistakes: string[] }),
    exited.then(() => undefined),
  ]);
  await exited;
  return report?.mistakes ?? [SETTINGS.notChecked];
}

/** Checks the nearest existing parent, because missing folders are created later. */
function isWritable(folder: string): boolean {
  let existing = folder;
  while (!existsSync(existing) && existing !== dirname(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
