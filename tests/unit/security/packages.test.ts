import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repositoryFiles } from '../../support/repository.ts';

/* Checks of packages without the network. `npm run audit` checks known vulnerabilities. */

type Locked = {
  version: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  hasInstallScript?: boolean;
};

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

type Manifest = {
  allowScripts: Record<string, boolean>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};

const workspace = read('packages/embedded-supabase/package.json') as Manifest;

/** The project and its workspace. */
const OUR_OWN = ['', 'packages/embedded-supabase', 'node_modules/embedded-supabase'];

/** The packages of `npm install`, and those of `npm run tools`. */
const SETS = ['package.json', 'tests/package.json'].map((file) => {
  const manifest = read(file) as Manifest;
  const packages = read(file.replace('.json', '-lock.json')).packages as Record<string, Locked>;
  return {
    file,
    manifest,
    named: {
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...(file === 'package.json' && workspace.dependencies),
    },
    locked: Object.entries(packages).filter(([path]) => !OUR_OWN.includes(path)),
  };
});
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

test.each(SETS)('$file has exact versions, all from a registry', ({ named, locked }) => {
  expect(
    Object.entries(named).filter(([, version]) => !/^(npm:[@\w/-]+@)?\d+\.\d+\.\d+$/.test(version)),
  ).toEqual([]);
  const elsewhere = locked.filter(
    ([, { version, resolved, link }]) =>
      link ||
      !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) ||
      (resolved && !/^https:\/\/[^/]+\/(@[\w.-]+\/)?[\w.-]+\/-\/[\w.-]+\.tgz$/.test(resolved)),
  );
  expect(elsewhere).toEqual([]);
});

test('the workspace and the project use the same versions', () => {
  const project = (read('package.json') as Manifest).dependencies ?? {};
  const shared = Object.entries(workspace.dependencies ?? {}).filter(([name]) => name in project);
  expect(shared.length).toBeGreaterThan(0);
  expect(shared.filter(([name, version]) => project[name] !== version)).toEqual([]);
});

test.each(SETS)('the lock file of $file has the SHA-512 of every package', ({ locked }) => {
  expect(locked.length).toBeGreaterThan(200);
  const without = locked.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
  expect(without.map(([path]) => path)).toEqual([]);
});

test.each(SETS)('$file decides about every install script', ({ manifest, locked }) => {
  const running = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
  expect(running.filter((name) => !(name in manifest.allowScripts))).toEqual([]);
  expect(Object.keys(manifest.allowScripts).filter((name) => !running.includes(name))).toEqual([]);
});

test('no package of tests/node_modules replaces one of the project', () => {
  const [project, tools] = SETS;
  const top = tools?.locked.map(([path]) => path).filter((path) => path.lastIndexOf('node_modules/') === 0);
  const elsewhere = new Map(project?.locked);
  const shadowing = top?.filter((path) => elsewhere.has(path) && !(nameOf(path) in (tools?.named ?? {})));
  expect(shadowing).toEqual([]);
  expect(tools?.named.typescript).toBe(project?.named.typescript);
});

/** Licences that allow running and redistribution. LGPL is libvips, which is linked unchanged. */
const TERMS = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'LGPL-3.0-or-later',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
  'Python-2.0',
  'Unlicense',
]);
/** Packages whose licence is in a file only. */
const LICENCE_IN_FILE = ['combine-errors'];
/** WordPress, which the tests run. Nothing of it is redistributed. */
const WORDPRESS = '@wp-playground/wordpress-builds';

test.each(SETS)('every package of $file has a suitable licence', ({ locked }) => {
  const others = locked.filter(([path, { license }]) => {
    if (LICENCE_IN_FILE.includes(nameOf(path)) || path.endsWith(`/${WORDPRESS}`)) return false;
    const terms = (license ?? 'none').replace(/[()]/g, '').split(/ (?:AND|OR) /);
    return !terms.every((term) => TERMS.has(term));
  });
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

/** A package whose program has another name. */
const BY_PROGRAM = ['@astrojs/check'];

test.each(SETS)('every package in $file is used', ({ named }) => {
  const files = repositoryFiles().filter(
    (name) =>
      /\.(ts|tsx|astro|mjs|json)$/.test(name) &&
      !/^(tests\/|packages\/[\w-]+\/)?package(-lock)?\.json$/.test(name),
  );
  const sources = files.map((name) => readFileSync(name, 'utf8')).join('\n');
  const scripts = JSON.stringify(read('package.json').scripts);
  const isUsed = (name: string) => {
    // The types of a package count with it.
    const pattern = name.replace(/^@types\//, '').replaceAll('.', '\\.');
    return new RegExp(`['"/](?:npm:)?${pattern}(?:@[\\d.]+)?['":/]`).test(sources) || scripts.includes(name);
  };
  const unused = Object.keys(named).filter((name) => !BY_PROGRAM.includes(name) && !isUsed(name));
  expect(unused).toEqual([]);
});
