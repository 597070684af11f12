import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { deskList as words } from '../../../lib/text/desk-list.ts';
import type { Desk } from '../../stores/desk.ts';

/** Keys that come sooner than this are one word. */
const SETTLE_MS = 250;

type Props = {
  desk: Pick<Desk, 'search' | 'refresh'>;
  /** What the page was made with. */
  begun?: string;
  /** What is looked through, as it is said to whoever does not see the list. */
  help?: string;
  /** Of several lists on a page each has its own. */
  id?: string;
  /** What sends it where there is no script: a form without one sends nothing. */
  children?: ReactNode;
  /** How many are shown, and whether those are all. */
  count: number;
  isWhole: boolean;
};

/** Finds what is in a list as somebody types. */
export function ListSearch({
  desk,
  count,
  isWhole,
  begun = '',
  help = words.searchHelp,
  id = 'list-search',
  children,
}: Props) {
  const [text, setText] = useState(begun);
  /** What was looked for last: the list is still the old one until then. */
  const [found, setFound] = useState(begun);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (sought: string) => {
    clearTimeout(timer.current);
    desk.search(sought);
    void desk.refresh().then(() => setFound(sought));
  };
  const type = (sought: string) => {
    setText(sought);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(sought), sought.trim() === '' ? 0 : SETTLE_MS);
  };
  const now = (event: SubmitEvent) => {
    event.preventDefault();
    search(text);
  };
  return (
    <search>
      <form className="list-search" onSubmit={now}>
        <label htmlFor={id}>{words.search}</label>
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
          {found.trim() !== '' && text === found && words.found(count, isWhole)}
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
            {words.clearSearch}
          </button>
        )}
      </form>
    </search>
  );
}
