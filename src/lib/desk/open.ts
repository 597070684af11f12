import { may } from '../auth/permissions.ts';
import type { Person } from '../auth/person.ts';
import { isSlug } from '../coverage/slug.ts';
import type { DeskCoverage } from './coverage.ts';
import { type Backend, currentSlug, isMember, readCoverage } from './read.ts';
import type { DeskPerson } from './rights.ts';

export type OpenedDesk =
  | { outcome: 'open'; coverage: DeskCoverage; person: DeskPerson }
  | { outcome: 'moved'; slug: string }
  | { outcome: 'not_found' }
  | { outcome: 'forbidden' };

/** The desk of a coverage for a person: open to them, somewhere else by now, unknown, or not theirs. */
export async function openDesk(backend: Backend, person: Person, slug: string): Promise<OpenedDesk> {
  if (!isSlug(slug)) return { outcome: 'not_found' };
  const coverage = await readCoverage(backend, 'slug', slug);
  if (!coverage) {
    const moved = await currentSlug(backend, slug);
    return moved ? { outcome: 'moved', slug: moved } : { outcome: 'not_found' };
  }
  const member = person.role === 'contributor' && (await isMember(backend, coverage.id, person.id));
  if (!may(person.role, 'read_desk', { member })) return { outcome: 'forbidden' };
  return { outcome: 'open', coverage, person: { ...person, member } };
}
