import { type Refusal, refusalOrThrow } from '../i18n/refusals.ts';
import { type BackendClient, dataOf } from './result.ts';
import type { Site } from './site.ts';
import { siteSectionPath } from './site-settings.ts';

/* The steps that remain after setup, for owners. */

/** Name of a site before it is changed: the default of the database. */
const DEFAULT_NAME = 'Stoppress';

export type SetupStep = {
  name: 'name' | 'place' | 'look' | 'invite' | 'coverage';
  path: string;
  isDone: boolean;
};

/** Returns the steps with their states; undefined when all are done or an owner has hidden the list. */
export async function readChecklist(
  backend: BackendClient,
  site: Pick<Site, 'name' | 'accent' | 'accent_dark' | 'setup_checklist'>,
): Promise<SetupStep[] | undefined> {
  if (!site.setup_checklist) return undefined;
  const [invites, coverages] = await Promise.all([
    dataOf(backend.from('desk_invites').select('id').limit(1)),
    dataOf(backend.from('coverages').select('id').limit(1)),
  ]);
  const steps: SetupStep[] = [
    { name: 'name', path: siteSectionPath('identity'), isDone: site.name !== DEFAULT_NAME },
    // The setup form, which turns the list on, asks for both.
    { name: 'place', path: siteSectionPath('place'), isDone: true },
    { name: 'look', path: siteSectionPath('look'), isDone: Boolean(site.accent || site.accent_dark) },
    { name: 'invite', path: '/desk/people/invite', isDone: invites.length > 0 },
    { name: 'coverage', path: '/desk/new', isDone: coverages.length > 0 },
  ];
  return steps.every(({ isDone }) => isDone) ? undefined : steps;
}

/**
 * Hides the list for all owners.
 * @returns the refusal, or undefined
 */
export async function dismissChecklist(backend: BackendClient): Promise<Refusal | undefined> {
  try {
    const content = { setup_checklist: false };
    await dataOf(backend.rpc('save_site', { idempotency_key: crypto.randomUUID(), content }));
    return undefined;
  } catch (error) {
    return refusalOrThrow(error);
  }
}
