import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { deskList as messages } from '../../../lib/text/desk-list.ts';
import type { Desk } from '../../stores/desk.ts';

/** Keys that come sooner than this are one word. */
const TYPING_PAUSE_MS = 250;

type Props = {
  desk: Pick<Desk, 'search' | 'refresh'>;
  /** What the page was made with. */
  initialQuery?: string;
  /** What is looked through, as it is said to whoever does not see the list. */
  help?: string;
  /** Of several lists on a page each has its own. */
  id?: string;
  /** What sends it where there is no script: a form without one sends nothing. */
  children?: ReactNode;
  /** How many are shown, and whether those are all. */
  count: number;
  isComplete: boolean;
};

/** Finds what is in a list as somebody types. */
export function ListSearch({
  desk,
  count,
  isComplete,
  initialQuery = '',
  help = messages.searchHelp,
  id = 'list-search',
  children,
}: Props) {
  const [text, setText] = useState(initialQuery);
  /** What was looked for last: the list is still the old one until then. */
  const [searchedText, setSearchedText] = useState(initialQuery);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (query: string) => {
    clearTimeout(timer.current);
    desk.search(query);
    void desk.refresh().then(() => setSearchedText(query));
  };
  const type = (query: string) => {
    setText(query);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(query), query.trim() === '' ? 0 : TYPING_PAUSE_MS);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    search(text);
  };
  return (
    <search>
      <form className="list-search" onSubmit={submit}>
        <label htmlFor={id}>{messages.search}</label>
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
          {help}
        </p>
        <p className="status" role="status">
          {searchedText.trim() !== '' && text === searchedText && messages.found(count, isComplete)}
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
            {messages.clearSearch}
          </button>
        )}
      </form>
    </search>
  );
}
