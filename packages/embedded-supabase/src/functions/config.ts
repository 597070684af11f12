import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ConfigKeys, readConfigKeys } from '../config.ts';
import { StartError } from '../start-error.ts';

/** A function as config.toml and its folder describe it. */
export type FunctionConfig = {
  /** Its folder's name, which is its path under `/functions/v1`. */
  name: string;
  enabled: boolean;
  /** Whether the gateway requires a token or a legacy key. Supabase's default. */
  verifyJwt: boolean;
  /** Its file, absolute. */
  entrypoint: string;
  /** Its deno.json, absolute, where it has one. */
  denoJson: string | undefined;
};

export type FunctionsConfig = { enabled: boolean; functions: Map<string, FunctionConfig> };

/** What Supabase takes as a function's name. */
const NAME = /^[A-Za-z][\w-]*$/;

/**
 * The functions of a folder, with `[edge_runtime]` and `[functions.*]` of the config.toml above it. A folder that
 * config.toml does not name has Supabase's defaults, one whose name begins with `_` is no function.
 * @throws StartError naming the key that is wrong
 */
export async function readFunctionsConfig(folder: string): Promise<FunctionsConfig> {
  const file = resolve(folder, '../config.toml');
  const keys = await readConfigKeys(file);
  const policy = keys.has('edge_runtime.policy') ? keys.text('edge_runtime.policy') : 'per_worker';
  // `oneshot` is a process for each call, for development on Supabase's own stack.
  if (policy !== 'per_worker') {
    throw new StartError(`${file}: edge_runtime.policy must be "per_worker": there is no other here.`);
  }
  const names = new Set([...foldersOf(folder), ...keys.namesIn('functions')]);
  const functions = new Map<string, FunctionConfig>();
  for (const name of names) {
    if (!NAME.test(name)) throw new StartError(`${join(folder, name)}: this is no name for a function.`);
    functions.set(name, describe(folder, name, keys));
  }
  return { enabled: flagOr(keys, 'edge_runtime.enabled', true), functions };
}

function describe(folder: string, name: string, keys: ConfigKeys): FunctionConfig {
  const key = `functions.${name}`;
  // The CLI reads these paths from its own folder, which is the one above.
  const pathOf = (setting: string) =>
    keys.has(`${key}.${setting}`) ? resolve(folder, '..', keys.text(`${key}.${setting}`)) : undefined;
  const entrypoint = pathOf('entrypoint') ?? join(folder, name, 'index.ts');
  const denoJson = pathOf('import_map') ?? join(dirname(entrypoint), 'deno.json');
  return {
    name,
    enabled: flagOr(keys, `${key}.enabled`, true),
    verifyJwt: flagOr(keys, `${key}.verify_jwt`, true),
    entrypoint,
    denoJson: existsSync(denoJson) ? denoJson : undefined,
  };
}

function foldersOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[^_.]/.test(entry.name) && entry.name !== 'node_modules')
    .map((entry) => entry.name);
}

const flagOr = (keys: ConfigKeys, key: string, otherwise: boolean) =>
  keys.has(key) ? keys.flag(key) : otherwise;
