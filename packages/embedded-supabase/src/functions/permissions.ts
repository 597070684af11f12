import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { FunctionConfig } from './config.ts';

const DENO_PARTS = resolve(import.meta.dirname, 'deno');

/** Of each thread: under hosted's 256 MB with room for what is no object of JavaScript's. */
const HEAP_MB = 192;
/** Of young objects: what V8 takes where there is much memory would reach over the bound of the whole process. */
const YOUNG_MB = 4;

/**
 * Flags of Deno: no network for packages, and minimal rights. A function may read its own folder, the shared folder
 * and the packages, and connect to the backend; it may not write files or run programs. Its deno.json can widen
 * network access: `"permissions": { "default": { "net": … } }` with Deno's values (`true`, a list, or `{ "allow": …,
 * "deny": … }`). Hosted ignores it, because all functions have full network access there.
 * @param settings from `readDenoSettings`
 * @throws if they grant network access in another form
 */
export function denoFlags(
  { entrypoint, denoJson }: FunctionConfig,
  settings: Settings,
  { socket, url, project }: { socket: string; url: string; project: string },
): string[] {
  const folder = dirname(entrypoint);
  const reads = [folder, join(folder, '../_shared'), join(project, 'node_modules'), DENO_PARTS, socket];
  return [
    '--no-prompt',
    '--no-lock',
    '--no-remote',
    '--cached-only',
    '--node-modules-dir=manual',
    '--unstable-no-legacy-abort',
    denoJson ? `--config=${denoJson}` : '--no-config',
    `--v8-flags=--max-old-space-size=${HEAP_MB},--max-semi-space-size=${YOUNG_MB}`,
    '--allow-env',
    `--allow-read=${listOf(reads)}`,
    `--allow-write=${listOf([socket])}`,
    ...netFlags(settings, [`unix:${socket}`, new URL(url).host]),
  ];
}

type Settings = { permissions?: { default?: { net?: unknown; env?: unknown } } } | undefined;

/** The deno.json of a function. @throws where it is not JSON */
export const readDenoSettings = ({ denoJson }: FunctionConfig): Settings =>
  denoJson === undefined ? undefined : JSON.parse(readFileSync(denoJson, 'utf8'));

/**
 * Variables that a function requests by name in its deno.json:
 * `"permissions": { "default": { "env": { "allow": ["SMTP_URL"] } } }`. Other functions do not get them.
 */
export function allowedOf(environment: Record<string, string>, settings: Settings): Record<string, string> {
  const { allow = [] } = (settings?.permissions?.default?.env ?? {}) as { allow?: unknown };
  if (!isList(allow)) {
    throw new TypeError('permissions.default.env.allow of deno.json must be a list of names.');
  }
  return Object.fromEntries(Object.entries(environment).filter(([name]) => allow.includes(name)));
}

/**
 * An environment without the variables that the function's deno.json denies:
 * `"permissions": { "default": { "env": { "deny": ["SUPABASE_SECRET_KEYS"] } } }`. The process never gets them.
 */
export function withoutDenied(
  environment: Record<string, string>,
  settings: Settings,
): Record<string, string> {
  const { deny = [] } = (settings?.permissions?.default?.env ?? {}) as { deny?: unknown };
  if (!isList(deny))
    throw new TypeError('permissions.default.env.deny of deno.json must be a list of names.');
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !deny.includes(name)));
}

export function netFlags(settings: Settings, always: string[]): string[] {
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
    allow === true ? '--allow-net' : `--allow-net=${listOf([...always, ...hosts])}`,
    ...(deny.length > 0 ? [`--deny-net=${listOf(deny)}`] : []),
  ];
}

/** A comma in a path is written twice. */
const listOf = (all: string[]) => all.map((one) => one.replaceAll(',', ',,')).join(',');

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && /^\S+$/.test(one));

/** What `deno info --json` tells of a program. */
type Graph = { modules: { kind: string; dependencies?: { specifier: string }[] }[] };

/**
 * Packages that a program imports by a name that its deno.json does not explain. Here they are found all the same,
 * in `node_modules`; a hosted project has nothing but that file to go by.
 */
export function unnamedImports({ modules }: Graph, imports: Record<string, string>): string[] {
  const named = (specifier: string) =>
    Object.keys(imports).some((name) =>
      name.endsWith('/') ? specifier.startsWith(name) : specifier === name,
    );
  const all = modules
    .filter(({ kind }) => kind === 'esm')
    .flatMap(({ dependencies = [] }) => dependencies.map(({ specifier }) => specifier));
  return [...new Set(all)].filter((name) => !/^(\.{0,2}\/|npm:|node:|data:)/.test(name) && !named(name));
}
