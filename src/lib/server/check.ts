import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { checkOptions } from 'embedded-supabase';
import { SETTINGS } from '../i18n/cli.ts';
import { backendOptions } from './backend-process.ts';
import { type Environment, readServerSettings, SettingsError, unknownNames } from './settings.ts';

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
    readServerSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n');
    throw error;
  }
}

/** Mistakes in the settings of the backend, except keys and addresses, which `mistakesOfSite` reports. */
async function mistakesOfBackend(environment: Environment): Promise<string[]> {
  const get = (name: string) => environment[name]?.trim() || undefined;
  const data = resolve(get('STOPPRESS_DATA') ?? '.stoppress/data');
  const options = backendOptions({
    data,
    databaseUrl: get('DATABASE_URL'),
    smtpUrl: get('SMTP_URL'),
    mailFrom: get('MAIL_FROM'),
    certificates: get('NODE_EXTRA_CA_CERTS'),
    publishableKey: undefined,
    secretKey: undefined,
  });
  const backups = {
    folder: resolve(get('STOPPRESS_BACKUPS') ?? join(data, '../backups')),
    at: get('STOPPRESS_BACKUP_AT'),
    keep: get('STOPPRESS_BACKUP_KEEP'),
  };
  const { NODE_COMPILE_CACHE } = process.env;
  return checkOptions(
    { ...options, backups },
    NODE_COMPILE_CACHE ? { environment: { NODE_COMPILE_CACHE } } : {},
  );
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
