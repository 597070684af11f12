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
 * Variables of a function, as its deno.json says: `"permissions": { "default": { "env": { "allow": ["SMTP_URL"], "deny":
 * ["SUPABASE_SECRET_KEYS"] } } }`.
 * @param usual are given unless they are denied
 * @param onRequest are given only if they are allowed by name
 */
export function permittedVariables(
  usual: Record<string, string>,
  onRequest: Record<string, string>,
  settings: Settings,
): Record<string, string> {
  const { allow = [], deny = [] } = (settings?.permissions?.default?.env ?? {}) as Record<string, unknown>;
  if (!isList(allow) || !isList(deny)) {
    throw new TypeError('permissions.default.env of deno.json must be { allow, deny }, lists of names.');
  }
  return Object.fromEntries([
    ...Object.entries(usual).filter(([name]) => !deny.includes(name)),
    ...Object.entries(onRequest).filter(([name]) => allow.includes(name)),
  ]);
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
