import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type ConfigReader, readConfigFile } from '../config.ts';
import type { Keys } from '../keys.ts';
import { StartError } from '../start-error.ts';
import type { Tokens } from '../tokens.ts';

/** A function as config.toml and its folder describe it. */
export type FunctionConfig = ReturnType<typeof readFunctionConfig>;

export type FunctionsConfig = { enabled: boolean; functions: Map<string, FunctionConfig> };

/** Names that Supabase accepts for a function. */
const NAME = /^[A-Za-z][\w-]*$/;

/**
 * Reads the functions of a folder, with `[edge_runtime]` and `[functions.*]` of the config.toml in its parent folder.
 * Folders whose name begins with `_` are not functions.
 * @throws StartError naming the invalid key
 */
export async function readFunctionsConfig(folder: string): Promise<FunctionsConfig> {
  const file = resolve(folder, '../config.toml');
  const keys = await readConfigFile(file);
  const policy = keys.has('edge_runtime.policy') ? keys.string('edge_runtime.policy') : 'per_worker';
  // `oneshot` starts a process for each call. It is for development on Supabase's own stack.
  if (policy !== 'per_worker') {
    throw new StartError(`${file}: edge_runtime.policy must be "per_worker": no other policy is supported.`);
  }
  const names = new Set([...foldersOf(folder), ...keys.tableKeys('functions')]);
  const functions = new Map<string, FunctionConfig>();
  for (const name of names) {
    if (!NAME.test(name))
      throw new StartError(`${join(folder, name)}: this is not a valid name of a function.`);
    functions.set(name, readFunctionConfig(folder, name, keys));
  }
  return { enabled: flagOr(keys, 'edge_runtime.enabled', true), functions };
}

function readFunctionConfig(folder: string, name: string, keys: ConfigReader) {
  const key = `functions.${name}`;
  // The Supabase CLI resolves these paths from its own folder, which is the parent folder.
  const pathOf = (setting: string) =>
    keys.has(`${key}.${setting}`) ? resolve(folder, '..', keys.string(`${key}.${setting}`)) : undefined;
  const entrypoint = pathOf('entrypoint') ?? join(folder, name, 'index.ts');
  const denoJson = pathOf('import_map') ?? join(dirname(entrypoint), 'deno.json');
  return {
    /** Name of its folder, and its path below `/functions/v1`. */
    name,
    enabled: flagOr(keys, `${key}.enabled`, true),
    /** Whether the gateway requires a token or a legacy key. */
    verifyJwt: flagOr(keys, `${key}.verify_jwt`, true),
    entrypoint,
    /** Absolute path; undefined if there is no such file. */
    denoJson: existsSync(denoJson) ? denoJson : undefined,
  };
}

function foldersOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[^_.]/.test(entry.name) && entry.name !== 'node_modules')
    .map((entry) => entry.name);
}

const flagOr = (keys: ConfigReader, key: string, fallback: boolean) =>
  keys.has(key) ? keys.boolean(key) : fallback;

const DENO_PARTS = resolve(import.meta.dirname, 'deno');

/**
 * Maximum heap of each thread in MB. It is below the 256 MB of a hosted project, which leaves room for memory outside
 * the JavaScript heap.
 */
const HEAP_MB = 192;
/**
 * Maximum semi-space of V8 (young objects) in MB. On a machine with much memory, V8's default would exceed the memory
 * limit of the whole process.
 */
const SEMI_SPACE_MB = 4;

/**
 * Returns the flags for Deno. A function may read its own folder, `_shared` and the packages, and connect to the
 * backend. `permissions.default.net` of its deno.json adds hosts. A hosted project ignores this setting, because
 * functions have full network access there.
 * @throws TypeError if deno.json is invalid
 */
export function denoFlags(
  { entrypoint, denoJson }: FunctionConfig,
  settings: DenoSettings,
  { socket, url, project }: { socket: string; url: string; project: string },
): string[] {
  const folder = dirname(entrypoint);
  const readablePaths = [
    folder,
    join(folder, '../_shared'),
    join(project, 'node_modules'),
    DENO_PARTS,
    socket,
  ];
  return [
    '--no-prompt',
    '--no-lock',
    '--no-remote',
    '--cached-only',
    '--node-modules-dir=manual',
    '--unstable-no-legacy-abort',
    denoJson ? `--config=${denoJson}` : '--no-config',
    `--v8-flags=--max-old-space-size=${HEAP_MB},--max-semi-space-size=${SEMI_SPACE_MB}`,
    '--allow-env',
    `--allow-read=${listOf(readablePaths)}`,
    `--allow-write=${listOf([socket])}`,
    ...netFlags(settings, [`unix:${socket}`, new URL(url).host]),
  ];
}

type DenoSettings = { permissions?: { default?: { net?: unknown; env?: unknown } } } | undefined;

/** Reads the deno.json of a function. @throws SyntaxError if it is not JSON */
export const readDenoSettings = ({ denoJson }: FunctionConfig): DenoSettings =>
  denoJson === undefined ? undefined : JSON.parse(readFileSync(denoJson, 'utf8'));

/**
 * Returns the environment variables of a function, by `permissions.default.env` (`{ allow, deny }`) of its deno.json.
 * @param defaults variables that the function gets unless they are denied
 * @param onRequest variables that the function gets only if they are allowed
 */
export function permittedVariables(
  defaults: Record<string, string>,
  onRequest: Record<string, string>,
  settings: DenoSettings,
): Record<string, string> {
  const { allow = [], deny = [] } = (settings?.permissions?.default?.env ?? {}) as Record<string, unknown>;
  if (!isList(allow) || !isList(deny)) {
    throw new TypeError('permissions.default.env of deno.json must be { allow, deny }, lists of names.');
  }
  return Object.fromEntries([
    ...Object.entries(defaults).filter(([name]) => !deny.includes(name)),
    ...Object.entries(onRequest).filter(([name]) => allow.includes(name)),
  ]);
}

export function netFlags(settings: DenoSettings, alwaysAllowed: string[]): string[] {
  const net = settings?.permissions?.default?.net;
  const { allow = false, deny = [] } =
    typeof net === 'object' && net !== null && !Array.isArray(net)
      ? (net as { allow?: unknown; deny?: unknown })
      : { allow: net };
  const hosts = allow === true || allow === false ? [] : allow;
  if (!isList(hosts) || !isList(deny)) {
    throw new TypeError('permissions.default.net of deno.json must be true, a list, or { allow, deny }.');
  }
  return [
    allow === true ? '--allow-net' : `--allow-net=${listOf([...alwaysAllowed, ...hosts])}`,
    ...(deny.length > 0 ? [`--deny-net=${listOf(deny)}`] : []),
  ];
}

/** Joins values for a flag of Deno. A comma in a value is written twice. */
const listOf = (values: string[]) => values.map((value) => value.replaceAll(',', ',,')).join(',');

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && /^\S+$/.test(item));

/** Output of `deno info --json` for a program. */
type Graph = { modules: { kind: string; dependencies?: { specifier: string }[] }[] };

/**
 * Returns the packages that a program imports although its deno.json does not name them. They are in `node_modules`
 * here, but not on a hosted project.
 */
export function undeclaredImports({ modules }: Graph, imports: Record<string, string>): string[] {
  const isNamed = (specifier: string) =>
    Object.keys(imports).some((name) =>
      name.endsWith('/') ? specifier.startsWith(name) : specifier === name,
    );
  const specifiers = modules
    .filter(({ kind }) => kind === 'esm')
    .flatMap(({ dependencies = [] }) => dependencies.map(({ specifier }) => specifier));
  return [...new Set(specifiers)].filter(
    (name) => !/^(\.{0,2}\/|npm:|node:|data:)/.test(name) && !isNamed(name),
  );
}

/** Names of variables that only Supabase or Deno may set. */
const RESERVED_VARIABLE = /^(SUPABASE_|SB_|DENO_|NODE_|LD_|DYLD_)/i;

/** Returns the environment of all functions, as on a hosted project. Functions are trusted code of the server. */
export function supabaseEnvironment(
  url: string,
  siteUrl: string,
  keys: Keys,
  tokens: Tokens,
): Record<string, string> {
  return {
    SUPABASE_URL: url,
    SUPABASE_PUBLIC_URL: siteUrl,
    // Supabase does not define this variable. A hosted project gets it as a secret.
    SITE_URL: siteUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishable }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secret }),
    SUPABASE_ANON_KEY: keys.publishable,
    SUPABASE_SERVICE_ROLE_KEY: keys.secret,
    SUPABASE_JWKS: JSON.stringify(tokens.jwks),
    SB_REGION: 'local',
  };
}

/** Returns the variables of `.env` in the folder of functions, without names that are reserved. */
export function readEnvFile(folder: string): Record<string, string> {
  const file = join(folder, '.env');
  if (!existsSync(file)) return {};
  const variables = Object.entries(parseEnv(readFileSync(file, 'utf8')));
  return Object.fromEntries(
    variables.flatMap(([name, value]) =>
      RESERVED_VARIABLE.test(name) || value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Returns the remaining environment of one process. It contains nothing of the backend's own environment. */
export function processEnvironment(name: string, denoFolder: string): Record<string, string> {
  return {
    SUPABASE_FUNCTION_SLUG: name,
    SB_EXECUTION_ID: randomUUID(),
    DENO_DIR: denoFolder,
    DENO_NO_UPDATE_CHECK: '1',
    DENO_NO_PROMPT: '1',
    NO_COLOR: '1',
  };
}
