import { isSlug } from '../coverage/slug.ts';
import { pathWith } from '../http/path.ts';
import type { Follow, FollowScope } from './my-follows.ts';

/** What can be followed, by its address. */
export type Target = Pick<Follow, 'kind' | 'slug'>;

/** Where alerts about it are chosen. */
export const followPath = ({ kind, slug }: Target): string =>
  `/follow/${kind === 'coverage' ? 'live' : 'topics'}/${slug}`;

/** The page of what is followed. */
export const targetPath = ({ kind, slug }: Target): string =>
  `/${kind === 'coverage' ? 'live' : 'topics'}/${slug}`;

/** What was chosen by somebody who has yet to confirm their address: it travels in the link of the mail. */
export type Chosen = { target: Target; scope: FollowScope };

/** The address of a choice of alerts by e-mail. */
export const chosenPath = ({ target, scope }: Chosen): string =>
  pathWith(followPath(target), { mail: scope });

/** The choice that an address of ours holds; null for any other. */
export function readChosen(path: string | null): Chosen | null {
  const [, folder, slug = '', scope] = CHOSEN.exec(path ?? '') ?? [];
  if (!isSlug(slug) || !isScope(scope)) return null;
  return { target: { kind: folder === 'live' ? 'coverage' : 'topic', slug }, scope };
}

/** The same with how much of it the form says, where there is one. */
export function chosenBy(path: string | null, form: FormData | undefined): Chosen | null {
  const chosen = readChosen(path);
  const scope = form?.get('scope');
  return chosen && isScope(scope) ? { ...chosen, scope } : chosen;
}

const CHOSEN = /^\/follow\/(live|topics)\/([a-z0-9-]+)\?mail=(\w+)$/;

export const isScope = (value: unknown): value is FollowScope => value === 'all' || value === 'key';
