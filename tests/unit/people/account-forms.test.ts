import { expect, test } from 'vitest';
import { accountMessage, isAccountForm, redirectWith } from '../../../src/lib/http/account-forms.server.ts';
import { account } from '../../../src/lib/i18n/en/accounts.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';

const here = (path: string) => new URL(path, 'http://any.example');

test('shows messages of the product only, whatever the URL contains', () => {
  for (const done of ['name', 'mailed', 'password'] as const) {
    const answer = redirectWith(done);
    expect(accountMessage(english, here(answer.goTo))).toBe(account.done[done]);
  }
  for (const path of [
    '/account',
    '/account?done=',
    '/account?done=Send+money',
    '/account?done=constructor',
  ]) {
    expect(accountMessage(english, here(path))).toBeUndefined();
  }
});

test("accepts the page's own forms only", () => {
  expect(isAccountForm('device')).toBe(true);
  for (const name of ['', 'delete', 'toString']) expect(isAccountForm(name)).toBe(false);
});
