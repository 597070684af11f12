import type { Entry } from './document.ts';

/** A word for what an update is: `term` for machines, `label` for people. */
type Tag = { term: string; label?: string; isTopic?: true };

/** What an update is, and what it is about. `key-event` is what an import takes one for. */
export function tagsOf({ update, coverage }: Entry): Tag[] {
  const { key_event, urgency, verification } = update;
  return [
    ...(key_event ? [{ term: 'key-event' }] : []),
    ...(urgency === 'normal' ? [] : [{ term: urgency }]),
    ...(verification === 'confirmed' ? [] : [{ term: verification }]),
    ...coverage.topics.map(({ slug, name }) => ({ term: slug, label: name, isTopic: true as const })),
  ];
}
