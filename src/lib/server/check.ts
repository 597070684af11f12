import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkOptions } from 'embedded-supabase';
import { SETTINGS } from '../i18n/cli.ts';
import { backendOptions, type Embedded } from './backend-process.ts';
import { type Environment, parseServerSettings, unknownNames } from './settings.ts';

/**
 * Checks all settings of site and backend before anything is started. Returns a sentence for each mistake, or for each
 * setting that is valid but probably not intended.
 */
export async function checkSettings(environment: Environment) {
  const parsed = parseServerSettings(environment);
  const { backend, builds, siteUrl = '', proxies } = parsed.settings;
  const mistakes = [...unknownNames(environment), ...parsed.mistakes];
  if (backend.kind === 'embedded' && !environment.PUBLIC_SUPABASE_URL?.trim())
    mistakes.push(...(await mistakesOfBackend(backend)));
  if (!isWritable(builds)) mistakes.push(SETTINGS.buildsFolder(builds));
  const warnings: string[] = [];
  if (siteUrl.startsWith('http:') && proxies > 0) warnings.push(SETTINGS.plainSite);
  if (siteUrl.startsWith('https:') && proxies === 0) warnings.push(SETTINGS.proxyNotDeclared);
  return { mistakes: [...new Set(mistakes)], warnings: mistakes.length > 0 ? [] : warnings };
}

/** Mistakes in the settings of the backend, except the keys, which `parseServerSettings` checks. */
function mistakesOfBackend({ backups, ...backend }: Embedded): Promise<string[]> {
  const options = backendOptions({ ...backend, publishableKey: undefined, secretKey: undefined });
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
