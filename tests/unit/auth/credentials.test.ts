import { describe, expect, test } from 'vitest';
import { newAccountProblems, passwordProblem, readMailCode } from '../../../src/lib/data/accounts.server.ts';
import { accounts } from '../../../src/lib/i18n/en/accounts.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';

const { problems } = accounts;

describe('a password', () => {
  test.each([
    ['ten characters of any kind', '🔑'.repeat(10), undefined],
    ['nine characters', 'a'.repeat(9), problems.passwordShort(10)],
    ['72 bytes', 'a'.repeat(72), undefined],
    ['73 bytes', `${'a'.repeat(71)}é`, problems.passwordLong],
    ['the e-mail address in another case', 'ANN@Example.com', problems.passwordIsEmail],
  ])('with %s', (_what, password, problem) => {
    expect(passwordProblem(english, password, 'ann@example.com')).toBe(problem);
  });
});

test('reports every invalid field', () => {
  expect(newAccountProblems(english, { name: '', email: 'nobody', password: '' })).toEqual({
    name: problems.name(60),
    email: problems.email,
    password: problems.passwordShort(10),
  });
  expect(
    newAccountProblems(english, { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }),
  ).toEqual({});
});

test('a name must be one line', () => {
  const account = { email: 'ann@example.com', password: 'correct horse battery' };
  expect(newAccountProblems(english, { ...account, name: 'A\nB' })).toHaveProperty('name');
  expect(newAccountProblems(english, { ...account, name: 'é'.repeat(61) })).toHaveProperty('name');
});

test('an address contains no invisible characters', () => {
  const account = { name: 'Ann', password: 'correct horse battery' };
  expect(newAccountProblems(english, { ...account, email: 'ann\u0000@example.com' })).toHaveProperty('email');
});

test.each([
  ['12345678', '12345678'],
  [' 1234 5678\t', '12345678'],
  ['1234-5678', '12345678'],
  ['1234\u00a05678', '12345678'],
  ['123456', '123456'],
  ['12345', undefined],
  ['12345678901', undefined],
  ['1234567a', undefined],
  ['', undefined],
])('reads the code %j as %j', (typed, code) => {
  const form = new FormData();
  form.set('code', typed);
  expect(readMailCode(form)).toBe(code);
});

test('ignores a file as code, and a missing code', () => {
  const form = new FormData();
  expect(readMailCode(form)).toBeUndefined();
  form.set('code', new File(['12345678'], 'code'));
  expect(readMailCode(form)).toBeUndefined();
});
