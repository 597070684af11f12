import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { checkOptions, openLog } from 'embedded-supabase';
import { logOptions } from '../../data/log.ts';
import { SERVER, SETTINGS } from '../../i18n/cli.ts';
import { backendOptions, type Embedded } from '../backend-process.ts';
import { loadEnvironment, logFailure, onStop } from '../program.ts';
import {
  type Environment,
  parseServerSettings,
  readServerSettings,
  SettingsError,
  unknownNames,
} from '../settings.ts';
import { notifyReady, watchTerminal } from './port.ts';
import { ProcessNotReady } from './supervised-process.ts';
import { supervise } from './supervisor.ts';

/* The supervisor: it holds the port and runs backend and site. SIGHUP starts a deploy; SIGTERM and Ctrl-C finish the
   requests in progress and stop. */
const log = openLog('supervisor', logOptions);
const fail = (error: unknown) => log.error(SERVER.fault, { error });

/** Signals within this time count as one, because npm forwards a Ctrl-C that has already arrived. In milliseconds. */
const REPEATED_SIGNAL_MS = 1_000;

/** Variables of the environment win over `.env`, which is read again at each deploy. */
const inherited: Environment = { ...process.env };

/** Hosts that browsers trust without HTTPS. */
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

function readConfiguration() {
  const environment = { ...dotEnv(), ...inherited };
  return { settings: readServerSettings(environment), environment };
}

/** As readConfiguration, with all the checks of a start. @throws SettingsError */
async function readAgain() {
  const { mistakes } = await checkSettings({ ...dotEnv(), ...inherited });
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return readConfiguration();
}

function dotEnv(): Environment {
  try {
    return parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return {};
  }
}

const aborted = new AbortController();
try {
  // Sets the log format for this process.
  loadEnvironment();
  const { mistakes, warnings } = await checkSettings({ ...dotEnv(), ...inherited });
  for (const warning of warnings) log.warn(warning);
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  if (process.argv.includes('--check')) {
    log.info(SETTINGS.right);
    process.exit(0);
  }
  const starting = supervise({
    readConfiguration,
    readAgain,
    log: (sentence) => log.warn(sentence),
    signal: aborted.signal,
  });
  let stopRequestedAt = Number.POSITIVE_INFINITY;
  const stop = async () => {
    stopRequestedAt = performance.now();
    aborted.abort();
    await (await starting.catch(() => undefined))?.stop();
  };
  onStop(stop);
  const stopAtOnce = async () => {
    if (performance.now() - stopRequestedAt < REPEATED_SIGNAL_MS) return;
    log.warn(SERVER.stopsAtOnce);
    (await starting.catch(() => undefined))?.kill();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void stopAtOnce().catch(fail));

  const isHungUp = watchTerminal();
  process.on('SIGHUP', () => {
    if (isHungUp()) return void process.emit('SIGTERM');
    starting.then(({ deploy: renew }) => renew()).catch(fail);
  });

  const supervised = await starting;
  log.info(SERVER.ready(supervised.siteUrl));
  if (supervised.mails) log.info(supervised.mails);
  supervised.announce();
  notifyReady(inherited, fail);
  process.send?.({ type: 'ready', url: supervised.url });
} catch (error) {
  if (!aborted.signal.aborted) {
    // An ended process has logged its reason. One that the system could not start has not.
    if (!(error instanceof ProcessNotReady) || error.cause) logFailure(error);
    process.exit(1);
  }
}

/**
 * Checks all settings of site and backend before anything is started. Returns a sentence for each mistake, or for each
 * setting that is valid but probably not intended.
 */
async function checkSettings(environment: Environment) {
  const parsed = parseServerSettings(environment);
  const { backend, builds, siteUrl = '', proxies } = parsed.settings;
  const mistakes = [...unknownNames(environment), ...parsed.mistakes];
  if (backend.kind === 'embedded' && !environment.PUBLIC_SUPABASE_URL?.trim())
    mistakes.push(...(await mistakesOfBackend(backend)));
  if (!isWritable(builds)) mistakes.push(SETTINGS.buildsFolder(builds));
  const warnings: string[] = [];
  const isPlain = siteUrl.startsWith('http:');
  if (isPlain && proxies > 0) warnings.push(SETTINGS.plainSite);
  else if (isPlain && !LOCAL_HOSTS.includes(URL.parse(siteUrl)?.hostname ?? ''))
    warnings.push(SETTINGS.insecureSite);
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
