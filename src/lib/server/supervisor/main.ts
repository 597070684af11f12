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
const REPEATED_SIGNAL_MS = 1_000;

/** Variables of the environment win over `.env`, which is read again at each deploy. */
const inherited: Environment = { ...process.env };
function readConfiguration() {
  const environment = { ...dotEnv(), ...inherited };
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
    // The ended process has logged its reason.
    if (!(error instanceof ProcessNotReady)) logFailure(error);
    process.exit(1);
  }
}
