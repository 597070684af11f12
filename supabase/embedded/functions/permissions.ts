import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { FunctionConfig } from './config.ts';

const DENO_PARTS = resolve(import.meta.dirname, 'deno');
const PACKAGES = resolve(import.meta.dirname, '../../../node_modules');

/** Of each thread: under hosted's 256 MB with room for what is no object of JavaScript's. */
const HEAP_MB = 192;

/**
 * What Deno is started with: everything from this machine's disk, and the least rights. A function reads its own
 * folder, the shared one and the packages, reaches the backend and nothing else, and writes, runs and learns nothing.
 * Only the net can be widened, by the function's own deno.json: `"permissions": { "default": { "net": … } }`, in
 * Deno's own words (`true`, a list, or `{ "allow": …, "deny": … }`). Hosted ignores it: there every function has the
 * whole net.
 * @throws where its deno.json is not JSON or grants the net in another way
 */
export function denoFlags(
  { entrypoint, denoJson }: FunctionConfig,
  { socket, url }: { socket: string; url: string },
): string[] {
  const folder = dirname(entrypoint);
  const reads = [folder, join(folder, '../_shared'), PACKAGES, DENO_PARTS, socket];
  const settings: unknown = denoJson && JSON.parse(readFileSync(denoJson, 'utf8'));
  return [
    '--no-prompt',
    '--no-lock',
    '--no-remote',
    '--cached-only',
    '--node-modules-dir=manual',
    '--unstable-no-legacy-abort',
    denoJson ? `--config=${denoJson}` : '--no-config',
    `--v8-flags=--max-old-space-size=${HEAP_MB}`,
    '--allow-env',
    `--allow-read=${listOf(reads)}`,
    `--allow-write=${listOf([socket])}`,
    ...netFlags(settings, [`unix:${socket}`, new URL(url).host]),
  ];
}

type Settings = { permissions?: { default?: { net?: unknown } } } | undefined;

export function netFlags(denoJson: unknown, always: string[]): string[] {
  const net = (denoJson as Settings)?.permissions?.default?.net;
  const { allow = false, deny = [] } =
    typeof net === 'object' && net !== null && !Array.isArray(net)
      ? (net as { allow?: unknown; deny?: unknown })
      : { allow: net };
  const hosts = allow === true || allow === false ? [] : allow;
  if (!isHosts(hosts) || !isHosts(deny)) {
    throw new TypeError('permissions.default.net of deno.json must be true, a list, or { allow, deny }.');
  }
  return [
    allow === true ? '--allow-net' : `--allow-net=${listOf([...always, ...hosts])}`,
    ...(deny.length > 0 ? [`--deny-net=${listOf(deny)}`] : []),
  ];
}

/** A comma in a path is written twice. */
const listOf = (all: string[]) => all.map((one) => one.replaceAll(',', ',,')).join(',');

const isHosts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((host) => typeof host === 'string' && /^\S+$/.test(host));
