import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/*
 * What can be held of packages without asking anybody: which bytes they are, what of them runs when they are installed,
 * and under which terms. What is known against them is asked by `npm run audit`.
 */

type Locked = {
  version: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  hasInstallScript?: boolean;
};

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const own = read('package.json') as {
  allowScripts: Record<string, boolean>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const locked = Object.entries(read('package-lock.json').packages as Record<string, Locked>).filter(
  ([place]) => place !== '',
);
const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

test('every package is named by one version, and comes from a registry: from no repository, folder or bare file', () => {
  const wanted = Object.entries({ ...own.dependencies, ...own.devDependencies });
  expect(wanted.filter(([, version]) => !/^(npm:[@\w/-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  const elsewhere = locked.filter(
    ([, { version, resolved, link }]) =>
      link ||
      !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) ||
      (resolved && !/^https:\/\/[^/]+\/(@[\w.-]+\/)?[\w.-]+\/-\/[\w.-]+\.tgz$/.test(resolved)),
  );
  expect(elsewhere).toEqual([]);
});

test('the lock file holds the SHA-512 of every package', () => {
  expect(locked.length).toBeGreaterThan(500);
  const without = locked.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
  expect(without.map(([place]) => place)).toEqual([]);
});

test('no package runs a program when it is installed that was not looked at', () => {
  const running = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => nameOf(place));
  expect(running.filter((name) => !(name in own.allowScripts))).toEqual([]);
  expect(Object.keys(own.allowScripts).filter((name) => !running.includes(name))).toEqual([]);
});

/** Terms under which this may be run and given away. The LGPL's are libvips, which is linked and not changed. */
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
/** Says so in a file of its own, and not in the lock file. */
const SAYS_ELSEWHERE = ['combine-errors'];

test('every package is under terms that allow what is done with it', () => {
  const others = locked.filter(([place, { license }]) => {
    if (SAYS_ELSEWHERE.includes(nameOf(place))) return false;
    const terms = (license ?? 'none').replace(/[()]/g, '').split(/ (?:AND|OR) /);
    return !terms.every((term) => TERMS.has(term));
  });
  expect(others.map(([place, { license }]) => `${place}: ${license}`)).toEqual([]);
});

/** Asked for by `astro check` itself. */
const BY_ANOTHER = ['@astrojs/check'];

test('no package is there that nothing asks for', () => {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => /\.(ts|tsx|astro|mjs|json)$/.test(name) && !/^package(-lock)?\.json$/.test(name));
  const sources = files.map((name) => readFileSync(name, 'utf8')).join('\n');
  const scripts = JSON.stringify(read('package.json').scripts);
  const isUsed = (name: string) => {
    // The types of a package are asked for with it.
    const wanted = name.replace(/^@types\//, '').replaceAll('.', '\\.');
    return new RegExp(`['"/](?:npm:)?${wanted}(?:@[\\d.]+)?['":/]`).test(sources) || scripts.includes(name);
  };
  const all = Object.keys({ ...own.dependencies, ...own.devDependencies });
  const unused = all.filter((name) => !BY_ANOTHER.includes(name) && !isUsed(name));
  expect(unused).toEqual([]);
});
