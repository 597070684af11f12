import type { FollowTarget } from '../../lib/domain/follows.ts';

/** A list entry with a link to the alerts of a coverage or topic. */
export function linkTo({ kind, slug, name }: FollowTarget & { name: string }): HTMLLIElement {
  const link = document.createElement('a');
  link.href = `/follow/${kind === 'coverage' ? 'live' : 'topics'}/${slug}`;
  link.dir = 'auto';
  link.textContent = name;
  const entry = document.createElement('li');
  entry.append(link);
  return entry;
}
