import { useCallback, useRef } from 'react';
import { excerpt } from '../../../lib/body/text.ts';
import { clockOf } from '../../../lib/coverage/coverage.ts';
import { type DeskCoverage, takesUpdates } from '../../../lib/desk/coverage.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import type { Desk, Panel as OpenPanel } from '../../stores/desk.ts';
import { EditPanel } from './EditPanel.tsx';
import { HistoryPanel } from './HistoryPanel.tsx';
import { RowActions } from './RowActions.tsx';
import { RowLine } from './RowLine.tsx';
import { RowText } from './RowWords.tsx';
import { SpikePanel } from './SpikePanel.tsx';
import { WithdrawPanel } from './WithdrawPanel.tsx';

const PANELS = { edit: EditPanel, history: HistoryPanel, spike: SpikePanel, withdraw: WithdrawPanel };

/** Coverage data that all rows share, as plain values, so that rows render only when a value changes. */
export type RowContext = {
  slug: string;
  timeZone: string;
  language: string;
  /** Whether the coverage accepts publications. */
  acceptsUpdates: boolean;
  /** Normalized search words, separated by spaces. */
  query: string;
};

export function rowContextOf(coverage: DeskCoverage, query: string[]): RowContext {
  return {
    slug: coverage.slug,
    ...clockOf(coverage),
    acceptsUpdates: takesUpdates(coverage.state),
    query: query.join(' '),
  };
}

export type RowProps = {
  desk: Desk;
  update: DeskUpdate;
  context: RowContext;
  /** Whether this update is pinned. */
  isPinned: boolean;
  /** Panel that is open in the row. */
  panel: OpenPanel['panel'] | null;
};

/** One update in the desk's list: its state, text and actions. */
export function UpdateRow(props: RowProps) {
  const { desk, update, context, panel } = props;
  const row = useRef<HTMLLIElement>(null);
  const close = useCallback(() => {
    desk.$open.set(null);
    desk.list.letGo();
    row.current?.focus();
  }, [desk]);
  const Panel = panel && PANELS[panel];
  return (
    <li
      ref={row}
      id={`update-${update.id}`}
      tabIndex={-1}
      className={`desk-row ${update.state}${panel ? ' open' : ''}`}
      aria-label={rowLabel(update)}
    >
      <RowLine {...props} />
      {panel !== 'edit' && <RowText update={update} context={context} />}
      {update.schedule_refusal && (
        <p className="refused">{messages.schedule.refused(update.schedule_refusal)}</p>
      )}
      {Panel ? <Panel desk={desk} update={update} onClose={close} /> : <RowActions {...props} />}
    </li>
  );
}

/** Accessible name of a row. */
const rowLabel = ({ state, headline, body }: DeskUpdate) =>
  `${messages.updateStates[state]}: ${headline ?? (excerpt(body, 80) || messages.list.noWords)}`;
