// Part of `npm run check`: functions as Deno sees them, and as a hosted project would. Offline, so whatever is not of
// this repository or its packages (`jsr:`, `https:`) is an error too. Folders of functions are its arguments.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readFunctionsConfig, unnamedImports } from './config.ts';
import { findDeno } from './process.ts';

const OFFLINE = ['--no-lock', '--no-remote', '--node-modules-dir=manual'];
const OWN = ['supervisor.ts', 'worker.ts'].map((name) => resolve(import.meta.dirname, 'deno', name));
const CACHE = resolve('node_modules/.cache/deno');

const binary = findDeno();
if (!binary) {
  console.error('Functions were not checked: npm has no Deno for this machine.');
  process.exit(0);
}

/** @returns what Deno has to say against it, or what it says */
function deno(...commandLine: string[]): Promise<{ complaint: string } | { said: string }> {
  const env = { DENO_DIR: CACHE, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };
  return new Promise((tell) => {
    execFile(binary ?? '', commandLine, { env }, (error, said, complaint) =>
      tell(error ? { complaint: complaint || error.message } : { said }),
    );
  });
}

/** @param files that go by the same deno.json, together: to look through the packages' types takes a second */
async function complaintsOf(files: string[], denoJson: string | undefined): Promise<string[]> {
  const settings = [...OFFLINE, denoJson ? `--config=${denoJson}` : '--no-config'];
  const checked = await deno('check', '--quiet', ...settings, ...files);
  if ('complaint' in checked) return [checked.complaint];
  const { imports = {} } = denoJson ? JSON.parse(readFileSync(denoJson, 'utf8')) : {};
  const complaints: string[] = [];
  for (const file of files) {
    const graph = await deno('info', '--json', ...settings, file);
    if ('complaint' in graph) complaints.push(graph.complaint);
    else {
      const unnamed = unnamedImports(JSON.parse(graph.said), imports);
      complaints.push(...unnamed.map((name) => `${file}: "${name}" is named in no deno.json beside it.`));
    }
  }
  return complaints;
}

const groups = new Map<string | undefined, string[]>([[undefined, OWN]]);
for (const folder of process.argv.slice(2)) {
  const { functions } = await readFunctionsConfig(resolve(folder));
  for (const { entrypoint, denoJson } of functions.values()) {
    const group = groups.get(denoJson) ?? [];
    groups.set(denoJson, group.includes(entrypoint) ? group : [...group, entrypoint]);
  }
}
const complaints: string[] = [];
for (const [denoJson, files] of groups) complaints.push(...(await complaintsOf(files, denoJson)));
for (const complaint of complaints) console.error(complaint);
process.exit(complaints.length > 0 ? 1 : 0);
