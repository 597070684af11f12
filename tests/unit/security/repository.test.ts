import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repositoryFiles } from '../../support/repository.ts';

/** Formats of secrets. Examples and test values do not match. */
const SECRETS = [
  /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY-----/,
  /\bsb_secret_(?!test|local)[\w-]{20,60}/,
  /\beyJ[\w-]{20,400}\.eyJ[\w-]{20,400}\.[\w-]{20,400}/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\b(?:ghp|gho|ghs|npm)_[A-Za-z0-9]{30,80}/,
  /\bxox[abpr]-[\w-]{20,80}/,
  /\b(?:postgres(?:ql)?|smtps?):\/\/(?!USER|ROLE|[$<{])[\w.-]{1,60}:(?!PASSWORD|[$<{])[^\s@'"`]{12,60}@(?!127\.|localhost)/,
];

const secretsIn = (text: string) => SECRETS.flatMap((form) => form.exec(text)?.[0].slice(0, 24) ?? []);

test('no file of the repository contains a key', () => {
  const files = repositoryFiles();
  expect(
    files.filter(
      (name) => /(^|\/)(keys\.json|\.env|id_\w+|.*\.(pem|key|p12|tar\.gz))$/.test(name) && !isKnown(name),
    ),
  ).toEqual([]);
  const leaks = files.flatMap((name) => {
    if (!existsSync(name)) return [];
    return secretsIn(readFileSync(name, 'latin1')).map((secret) => `${name}: ${secret}`);
  });
  expect(leaks).toEqual([]);
});

/** Settings of the tests' functions, and data of a release for upgrade tests. */
const isKnown = (name: string) =>
  /^tests\/(backend\/embedded\/functions-project\/functions\/\.env$|fixtures\/)/.test(name);

test('detects keys', () => {
  const planted = ['sb_secret_', 'k'.repeat(30)].join('');
  expect(secretsIn(`const key = '${planted}'`)).toHaveLength(1);
  expect(secretsIn(['-----BEGIN', 'PRIVATE KEY-----'].join(' '))).toHaveLength(1);
  expect(secretsIn(['postgres://paper:', 'correcthorsebattery', '@db.example'].join(''))).toHaveLength(1);
});

test('every test in docs/threats.md exists', () => {
  const named = [...readFileSync('docs/threats.md', 'utf8').matchAll(/`(tests\/[\w./-]+\.ts)`/g)].map(
    ([, file = '']) => file,
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});
