import { type FormEvent, useEffect, useRef, useState } from 'react';
import { deskList as words } from '../../../lib/text/desk-list.ts';
import type { Desk } from '../../stores/desk.ts';

/** Keys that come sooner than this are one word. */
const SETTLE_MS = 250;

type Props = {
  desk: Desk;
  /** How many are shown, and whether those are all. */
  count: number;
  isWhole: boolean;
};

/** Finds updates as somebody types. */
export function ListSearch({ desk, count, isWhole }: Props) {
  const [text, setText] = useState('');
  /** What was looked for last: the list is still the old one until then. */
  const [found, setFound] = useState('');
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
  const now = (event: FormEvent) => {
    event.preventDefault();
    search(text);
  };
  return (
    <search>
      <form className="list-search" onSubmit={now}>
        <label htmlFor="list-search">{words.search}</label>
        <input
          id="list-search"
          type="search"
          value={text}
          maxLength={200}
          autoComplete="off"
          enterKeyHint="search"
          aria-describedby="list-search-help"
          onChange={(event) => type(event.target.value)}
        />
        <p id="list-search-help" className="visually-hidden">
          {words.searchHelp}
        </p>
        <p className="status" role="status">
          {found.trim() !== '' && text === found && words.found(count, isWhole)}
        </p>
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
