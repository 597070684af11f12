import type { Rejected } from '../http/rejected.ts';
import { account } from '../text/account.ts';

/** The forms of a person's own page. */
const ACCOUNT_FORMS = ['name', 'email', 'password', 'password_mail', 'device', 'everywhere'] as const;
export type AccountForm = (typeof ACCOUNT_FORMS)[number];

/** What can have happened there; the sentence of each is in the messages. */
type Done = keyof typeof account.done;

/** What a form came to: a path to go on to, or why not. */
export type Answer = { goTo: string } | Rejected;

export const isAccountForm = (name: string): name is AccountForm =>
  ACCOUNT_FORMS.some((form) => form === name);

/** The page again, saying what happened. */
export const saying = (done: Done): { goTo: string } => ({ goTo: `/account?done=${done}` });

/** The sentence that `saying` asked for: only ours can be said, whatever an address holds. */
export function saidBy(url: URL): string | undefined {
  const done = url.searchParams.get('done');
  return Object.entries(account.done).find(([name]) => name === done)?.[1];
}
