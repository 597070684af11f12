// Part of `npm run check`: checks functions with Deno, and whether they would work on a hosted project. Works offline:
// imports from outside this repository and its packages (`jsr:`, `https:`) are errors too. The arguments are folders of
// functions.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { readFunctionsConfig, undeclaredImports } from './config.ts';
import { findDeno } from './process.ts';

const OFFLINE_FLAGS = ['--no-lock', '--no-remote', '--node-modules-dir=manual'];
const OWN_PROGRAMS = ['supervisor.ts', 'worker.ts'].map((name) => resolve(import.meta.dirname, 'deno', name));
const CACHE = resolve('node_modules/.cache/deno');

const ENVIRONMENT = { DENO_DIR: CACHE, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };

const binary = findDeno() ?? '';
if (!binary) {
  console.error('Functions were not checked: npm has no Deno for this machine.');
  process.exit(0);
}

/** Runs Deno. @returns its standard output @throws an error with its `stderr` */
const deno = async (...args: string[]) =>
  (await promisify(execFile)(binary, args, { env: ENVIRONMENT })).stdout;

/**
 * Returns the errors of files.
 * @param files files with the same deno.json. They are checked together, because reading the packages' types takes a
 * second.
 */
async function checkFiles(files: string[], denoJson: string | undefined): Promise<string[]> {
  const settings = [...OFFLINE_FLAGS, denoJson ? `--config=${denoJson}` : '--no-config'];
  const { imports = {} } = denoJson ? JSON.parse(readFileSync(denoJson, 'utf8')) : {};
  try {
    await deno('check', '--quiet', ...settings, ...files);
    const problems: string[] = [];
    for (const file of files) {
      const graph = JSON.parse(await deno('info', '--json', ...settings, file));
      const unnamed = undeclaredImports(graph, imports);
      problems.push(...unnamed.map((name) => `${file}: "${name}" is named in no deno.json beside it.`));
    }
    return problems;
  } catch (error) {
    return [(error as { stderr?: string }).stderr || (error as Error).message];
  }
}

const groups = new Map<string | undefined, string[]>([[undefined, OWN_PROGRAMS]]);
for (const folder of process.argv.slice(2)) {
  const { functions } = await readFunctionsConfig(resolve(folder));
  for (const { entrypoint, denoJson } of functions.values()) {
    const group = groups.get(denoJson) ?? [];
    groups.set(denoJson, group.includes(entrypoint) ? group : [...group, entrypoint]);
  }
}
const problems: string[] = [];
for (const [denoJson, files] of groups) problems.push(...(await checkFiles(files, denoJson)));
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
