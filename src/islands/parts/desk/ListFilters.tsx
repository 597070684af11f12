import type { UpdateCounts, UpdateFilter } from '../../../lib/desk/read.ts';
import { deskList as messages } from '../../../lib/text/desk-list.ts';
import type { Desk } from '../../stores/desk.ts';
import { useShared } from './useShared.ts';

/** Updates that need a decision come first. */
const ORDER: UpdateFilter[] = [
  'work',
  'submitted',
  'draft',
  'scheduled',
  'published',
  'withdrawn',
  'spiked',
  'mine',
  'key',
  'corrected',
  'photos',
];

/** The database counts up to this number. */
const COUNT_LIMIT = 100;

/** Filters of the list with the number of updates in each state. */
export function ListFilters({ desk, filter }: { desk: Desk; filter: UpdateFilter }) {
  const counts = useShared(desk.$counts);
  return (
    <fieldset className="bare list-filters">
      <legend className="visually-hidden">{messages.filter}</legend>
      {ORDER.map((option) => (
        <button key={option} type="button" aria-pressed={option === filter} onClick={() => desk.show(option)}>
          {messages.filters[option]} <span className="count">{count(counts, option)}</span>
        </button>
      ))}
    </fieldset>
  );
}

function count(counts: UpdateCounts, filter: UpdateFilter): string {
  const total = Object.entries(counts).find(([state]) => state === filter)?.[1];
  if (total === undefined || (total === 0 && filter !== 'submitted')) return '';
  return messages.count(total, filter === 'published' || total < COUNT_LIMIT);
}
