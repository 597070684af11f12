import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import type { GatewayContext } from '../gateway/context.ts';
import { backendLog } from '../log/log.ts';
import {
  denoFlags,
  type FunctionConfig,
  type FunctionsConfig,
  permittedVariables,
  processEnvironment,
  readDenoSettings,
  readEnvFile,
  supabaseEnvironment,
} from './config.ts';
import {
  type FunctionProcess,
  findDeno,
  functionLog,
  NotListeningError,
  startFunctionProcess,
  watchDeno,
} from './process.ts';
import type { FunctionErrorCode } from './refusals.ts';

/*
 * Edge functions run in Deno, offline: `supabase/functions/<name>/index.ts`, with a `deno.json` beside it that names
 * the packages it imports. Each package must be in the project's package.json. The `deno.json` also sets the function's
 * network access and environment variables (config.ts). A function sees its path as `/<name>/…`, its caller's address
 * in `x-forwarded-for`, the environment of a hosted project, and the variables of `supabase/functions/.env`.
 */

const SUPERVISOR = resolve(import.meta.dirname, 'deno/supervisor.ts');

export type ServedFunction = FunctionConfig & { runner: ReturnType<typeof openRunner> };

export type Functions = ReturnType<typeof openFunctions>;

type FunctionsOptions = {
  /** Folder of the project. Functions import the packages of its `node_modules`. */
  project: string;
  /** The folder of functions, absolute. */
  folder: string;
  /** The data folder, where sockets and Deno's cache are. */
  data: string;
  /** The backend's own address. */
  url: string;
  /** Variables of the server's own environment that a function may request by name. */
  optInVariables: Record<string, string>;
  /** Finds Deno. Replaced by tests. */
  findDenoBinary?: typeof findDeno;
};

/** Prepares the enabled functions. Each function starts when it is first called. */
export function openFunctions(
  { enabled, functions }: FunctionsConfig,
  { project, folder, data, url, optInVariables, findDenoBinary = findDeno }: FunctionsOptions,
  { keys, tokens, siteUrl }: Pick<GatewayContext, 'keys' | 'tokens' | 'siteUrl'>,
) {
  const deno = watchDeno(findDenoBinary);
  const enabledFunctions = enabled ? [...functions.values()].filter((config) => config.enabled) : [];
  if (enabledFunctions.length > 0) deno.find();
  if (enabledFunctions.length > 0 && relative(project, folder).split(sep)[0] === '..') {
    backendLog.error(
      `The functions of ${folder} find no npm packages, because it is not within ${project}: those that import one do not start.`,
    );
  }
  const sockets = socketFolder(data);
  const sharedVariables = supabaseEnvironment(url, siteUrl, keys, tokens);

  const start = (config: FunctionConfig, socket: string) => {
    const binary = deno.find();
    if (!binary) return undefined;
    try {
      const settings = readDenoSettings(config);
      const flags = denoFlags(config, settings, { socket, url, project });
      const environment = {
        ...permittedVariables({ ...readEnvFile(folder), ...sharedVariables }, optInVariables, settings),
        ...processEnvironment(config.name, join(data, 'deno')),
      };
      const commandLine = ['run', ...flags, SUPERVISOR, socket, url, config.entrypoint];
      const { reportSuccess, reportFailure } = deno;
      const logLines = functionLog(config.name);
      return startFunctionProcess({
        deno: binary,
        commandLine,
        environment,
        socket,
        logLines,
        onListening: reportSuccess,
        onSpawnError: reportFailure,
      });
    } catch (error) {
      backendLog.error(`The function ${config.name} could not be started.`, { error });
      return undefined;
    }
  };

  const servedFunctions = new Map(
    enabledFunctions.map((config, index) => {
      const socket = join(sockets, `${index}.sock`);
      return [config.name, { ...config, runner: openRunner(() => start(config, socket)) }] as const;
    }),
  );
  return {
    /** @returns undefined for a function that is missing or disabled */
    find: (name: string) => servedFunctions.get(name),
    async stop(): Promise<void> {
      await Promise.all([...servedFunctions.values()].map(({ runner }) => runner.stop()));
      rmSync(sockets, { recursive: true, force: true });
    },
  };
}

/**
 * Creates a folder for sockets that only the backend's user can read, like the whole data folder. On some systems, the
 * path of a socket may have at most 103 bytes.
 */
function socketFolder(data: string): string {
  const folder = join(data, 'run');
  if (Buffer.byteLength(folder) > 90) return mkdtempSync(join(tmpdir(), 'functions-'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** The process of a function ends after this time without a call. */
const IDLE_MS = 60_000;

/** After a failed start no other is attempted for this time, so that many callers do not start many processes. */
const FAILED_START_MS = 1_000;

/** Maximum concurrent calls of a function: each uses a connection, and all share its 192 MB. */
const MAX_CALLS = 100;

/** A call that is under way. */
export type FunctionCall = {
  connection: Socket;
  /** Resolves when the process of the call has ended, with the error for the caller. */
  ended: Promise<FunctionErrorCode>;
};

/**
 * Runs one function. Its process starts at the first call and ends after a time without calls.
 * @param start returns undefined if the process cannot start; it has logged why
 */
export function openRunner(start: () => FunctionProcess | undefined, idleMs = IDLE_MS, maxCalls = MAX_CALLS) {
  let current: FunctionProcess | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let calls = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  const endingProcesses = new Set<Promise<void>>();

  const end = () => {
    if (!current) return;
    const processEnd = current.end().finally(() => endingProcesses.delete(processEnd));
    endingProcesses.add(processEnd);
    current = undefined;
  };

  const tryStart = (): FunctionProcess | undefined => {
    if (performance.now() - failedAt < FAILED_START_MS) return undefined;
    const started = start();
    current = started;
    started?.ended.then(() => {
      if (current === started) current = undefined;
    });
    return started;
  };

  const runningProcess = async (): Promise<FunctionProcess | undefined> => {
    const functionProcess = current ?? tryStart();
    if (await functionProcess?.ready) return functionProcess;
    failedAt = performance.now();
    return undefined;
  };

  const onCallEnd = () => {
    calls -= 1;
    if (calls > 0) return;
    idleTimer = setTimeout(end, idleMs);
    idleTimer.unref();
  };

  const connectOrError = async (triesLeft: number): Promise<FunctionCall | FunctionErrorCode> => {
    const functionProcess = await runningProcess();
    if (!functionProcess) return 'BOOT_ERROR';
    try {
      return { connection: await functionProcess.connect(), ended: functionProcess.ended };
    } catch (error) {
      // Too many connections already wait for the process, or the backend has too many open files.
      if (!(error instanceof NotListeningError)) return 'WORKER_RESOURCE_LIMIT';
      // A process that no longer listens has ended, or is ended now.
      await functionProcess.end();
      return triesLeft > 0 ? connectOrError(triesLeft - 1) : functionProcess.ended;
    }
  };

  return {
    /**
     * Connects to the process for one call, which ends when the connection closes.
     * @returns the call, or the error for the caller
     */
    async call(): Promise<FunctionCall | FunctionErrorCode> {
      if (calls >= maxCalls) return 'TOO_MANY_REQUESTS';
      clearTimeout(idleTimer);
      calls += 1;
      const call = await connectOrError(1);
      if (typeof call === 'string') onCallEnd();
      else call.connection.once('close', onCallEnd);
      return call;
    },
    async stop(): Promise<void> {
      clearTimeout(idleTimer);
      end();
      await Promise.all(endingProcesses);
    },
  };
}
