import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { UpdateCounts } from '../../lib/data/desk.ts';
import type { UpdateFilter } from '../../lib/domain/updates.ts';
import type { DeskUpdates } from '../desk/desk.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { useShared } from '../shared/use-shared.ts';

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
export function ListFilters({
  updates,
  filter,
}: {
  updates: Pick<DeskUpdates, '$counts' | 'setFilter'>;
  filter: UpdateFilter;
}) {
  const messages = useMessages();
  const counts = useShared(updates.$counts);
  return (
    <fieldset className="bare list-filters">
      <legend className="visually-hidden">{messages.deskList.filter}</legend>
      {ORDER.map((option) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === filter}
          onClick={() => updates.setFilter(option)}
        >
          {messages.deskList.filters[option]} <span className="count">{count(messages, counts, option)}</span>
        </button>
      ))}
    </fieldset>
  );
}

function count(messages: DeskMessages, counts: UpdateCounts, filter: UpdateFilter): string {
  const total = Object.entries(counts).find(([state]) => state === filter)?.[1];
  if (total === undefined || (total === 0 && filter !== 'submitted')) return '';
  return messages.deskList.count(total, filter === 'published' || total < COUNT_LIMIT);
}

/** Pause in typing after which the search starts. */
const TYPING_PAUSE_MS = 250;

type Props = {
  search(words: string): void;
  /** Resolves when the list shows the result. */
  refresh(): Promise<void>;
  /** Search text that the server rendered the list with. */
  initialQuery?: string;
  /** Description of what is searched, for screen readers. */
  help?: string;
  /** Unique id of the field on its page. */
  id?: string;
  /** Submit button for pages without script. */
  children?: ReactNode;
  /** Number of rows shown, and whether they are all. */
  count: number;
  isComplete: boolean;
};

/** Searches a list while the person types. */
export function ListSearch({
  search,
  refresh,
  count,
  isComplete,
  initialQuery = '',
  help,
  id = 'list-search',
  children,
}: Props) {
  const messages = useMessages();
  const [text, setText] = useState(initialQuery);
  /** Text of the search that the list shows. */
  const [searchedText, setSearchedText] = useState(initialQuery);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const searchFor = (query: string) => {
    clearTimeout(timer.current);
    search(query);
    void refresh().then(() => setSearchedText(query));
  };
  const type = (query: string) => {
    setText(query);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => searchFor(query), query.trim() === '' ? 0 : TYPING_PAUSE_MS);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    searchFor(text);
  };
  return (
    <search>
      <form className="list-search" onSubmit={submit}>
        <label htmlFor={id}>{messages.deskList.search}</label>
        <input
          id={id}
          name={children ? 'query' : undefined}
          type="search"
          value={text}
          maxLength={200}
          autoComplete="off"
          enterKeyHint="search"
          aria-describedby={`${id}-help`}
          onChange={(event) => type(event.target.value)}
        />
        <p id={`${id}-help`} className="visually-hidden">
          {help ?? messages.deskList.searchHelp}
        </p>
        <p className="status" role="status">
          {searchedText.trim() !== '' &&
            text === searchedText &&
            messages.deskList.resultCount(count, isComplete)}
        </p>
        {children}
        {text !== '' && (
          <button
            type="button"
            className="quiet"
            onClick={(event) => {
              type('');
              event.currentTarget.form?.querySelector('input')?.focus();
            }}
          >
            {messages.deskList.clearSearch}
          </button>
        )}
      </form>
    </search>
  );
}
