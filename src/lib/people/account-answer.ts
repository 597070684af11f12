import type { Target } from '../alerts/follow.ts';
import { isSlug } from '../coverage/slug.ts';
import { pathWith } from '../http/path.ts';
import type { Rejected } from '../http/rejected.ts';
import { account } from '../text/account.ts';

/** The forms of a person's own page. */
const ACCOUNT_FORMS = [
  'name',
  'email',
  'password',
  'password_mail',
  'follow',
  'alert_device',
  'device',
  'everywhere',
] as const;
export type AccountForm = (typeof ACCOUNT_FORMS)[number];

const KINDS = ['coverage', 'topic'] as const satisfies Target['kind'][];

/** What can have happened there; the sentence of each is in the messages. */
type Done = keyof typeof account.done;

/** What a form came to: a path to go on to, or why not. */
export type Answer = { goTo: string } | Rejected;

export const isAccountForm = (name: string): name is AccountForm =>
  ACCOUNT_FORMS.some((form) => form === name);

/** The page again, saying what happened, and to what. */
export const saying = (done: Done, what?: Target): { goTo: string } => ({
  goTo: pathWith('/account', { done, ...(what && { [what.kind]: what.slug }) }),
});

/** What was stopped, to be followed again, as `saying` was told; whatever an address holds, it is a slug. */
export function unfollowedBy({ searchParams }: URL): Target | undefined {
  if (searchParams.get('done') !== 'unfollowed') return;
  return KINDS.map((kind) => ({ kind, slug: searchParams.get(kind) ?? '' })).find(({ slug }) => isSlug(slug));
}

/** The sentence that `saying` asked for: only ours can be said, whatever an address holds. */
export function saidBy(url: URL): string | undefined {
  const done = url.searchParams.get('done');
  return Object.entries(account.done).find(([name]) => name === done)?.[1];
}
