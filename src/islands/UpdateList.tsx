import { useStore } from '@nanostores/react';
import { useEffect, useState } from 'react';
import type { UpdateFilter } from '../lib/desk/read.ts';
import type { DeskUpdate } from '../lib/desk/update.ts';
import { desk as words } from '../lib/text/desk.ts';
import { ConnectionNote } from './parts/desk/ConnectionNote.tsx';
import { UpdateRow } from './parts/desk/UpdateRow.tsx';
import { useDesk } from './parts/desk/useDesk.ts';
import type { DeskContext } from './stores/desk.ts';

/** Updates of every state as they are now, with what this person may do to each. Begins with the page's own list. */
export function UpdateList({ updates, ...context }: DeskContext & { updates: DeskUpdate[] }) {
  const desk = useDesk(context);
  useState(() => desk.begin(updates));
  useEffect(() => desk.watch(), [desk]);
  const rows = useStore(desk.$updates);
  const { filter, most } = useStore(desk.$window);
  return (
    <section className="desk-list" aria-labelledby="list-title">
      <header>
        <h2 id="list-title">{words.list.title}</h2>
        <label>
          {words.list.filter}{' '}
          <select value={filter} onChange={(event) => desk.show(event.target.value as UpdateFilter)}>
            {Object.entries(words.list.filters).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <ConnectionNote desk={desk} />
      </header>
      {rows.length === 0 && <p className="help">{words.list.none}</p>}
      <ol>
        {rows.map((update) => (
          <UpdateRow key={update.id} desk={desk} update={update} />
        ))}
      </ol>
      {rows.length >= most && (
        <button type="button" onClick={desk.showOlder}>
          {words.list.older}
        </button>
      )}
    </section>
  );
}
