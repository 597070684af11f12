import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { openLog } from 'embedded-supabase';
import { logOptions } from '../../data/log.ts';
import { SERVER, SETTINGS } from '../../i18n/cli.ts';
import { checkSettings } from '../check.ts';
import { loadEnvironment, logFailure, onStop } from '../program.ts';
import { type Environment, readServerSettings, SettingsError } from '../settings.ts';
import { notifyReady, watchTerminal } from './port.ts';
import { ProcessNotReady } from './supervised-process.ts';
import { supervise } from './supervisor.ts';

/* The supervisor: it holds the port and runs backend and site. SIGHUP starts a deploy; SIGTERM and Ctrl-C finish the
   requests in progress and stop. */
const log = openLog('supervisor', logOptions);
const fail = (error: unknown) => log.error(SERVER.fault, { error });

/** Signals within this time count as one, because npm forwards a Ctrl-C that has already arrived. In milliseconds. */
const ONE_PRESS_MS = 1_000;

/** Variables of the environment win over `.env`, which is read again at each deploy. */
const given: Environment = { ...process.env };
function read() {
  const environment = { ...dotEnv(), ...given };
  return { settings: readServerSettings(environment), environment };
}

function dotEnv(): Environment {
  try {
    return parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return {};
  }
}

const off = new AbortController();
try {
  // Sets the log format for this process.
  loadEnvironment();
  const { mistakes, warnings: doubts } = await checkSettings({ ...dotEnv(), ...given });
  for (const doubt of doubts) log.warn(doubt);
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  if (process.argv.includes('--check')) {
    log.info(SETTINGS.right);
    process.exit(0);
  }
  const starting = supervise({ read, log: (sentence) => log.warn(sentence), signal: off.signal });
  let asked = Number.POSITIVE_INFINITY;
  const stop = async () => {
    asked = performance.now();
    off.abort();
    await (await starting.catch(() => undefined))?.stop();
  };
  onStop(stop);
  const again = async () => {
    if (performance.now() - asked < ONE_PRESS_MS) return;
    log.warn(SERVER.stopsAtOnce);
    (await starting.catch(() => undefined))?.kill();
    process.exit(1);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void again().catch(fail));

  const isHungUp = watchTerminal();
  process.on('SIGHUP', () => {
    if (isHungUp()) return void process.emit('SIGTERM');
    starting.then(({ deploy: renew }) => renew()).catch(fail);
  });

  const supervised = await starting;
  log.info(SERVER.ready(supervised.siteUrl));
  if (supervised.mails) log.info(supervised.mails);
  supervised.announce();
  notifyReady(given, fail);
  process.send?.({ type: 'ready', url: supervised.url });
} catch (error) {
  if (!off.signal.aborted) {
    // The ended process has logged its reason.
    if (!(error instanceof ProcessNotReady)) logFailure(error);
    process.exit(1);
  }
}
