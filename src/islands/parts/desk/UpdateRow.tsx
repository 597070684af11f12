import { useStore } from '@nanostores/react';
import { useCallback, useRef } from 'react';
import { excerpt } from '../../../lib/body/text.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { Body } from '../Body.tsx';
import { EditPanel } from './EditPanel.tsx';
import { RowActions } from './RowActions.tsx';
import { RowLine } from './RowLine.tsx';
import { RowPhotos } from './RowPhotos.tsx';
import { SpikePanel } from './SpikePanel.tsx';
import { WithdrawPanel } from './WithdrawPanel.tsx';

const PANELS = { edit: EditPanel, spike: SpikePanel, withdraw: WithdrawPanel };

/** Characters of a published update in the list: its readers' page has them all. */
const EXCERPT = 240;

/** One update at the desk: where it stands, its words, and what may be done to it. */
export function UpdateRow({ desk, update }: { desk: Desk; update: DeskUpdate }) {
  const open = useStore(desk.$open);
  const row = useRef<HTMLLIElement>(null);
  const panel = open?.id === update.id ? open.panel : null;
  const close = useCallback(() => {
    desk.$open.set(null);
    row.current?.focus();
  }, [desk]);
  const Panel = panel && PANELS[panel];
  return (
    <li ref={row} tabIndex={-1} className={`desk-row ${update.state}`}>
      <RowLine desk={desk} update={update} />
      {panel !== 'edit' && <Words update={update} language={desk.$coverage.get().language} />}
      {update.schedule_refusal && (
        <p className="refused">{words.schedule.refused(update.schedule_refusal)}</p>
      )}
      {Panel ? (
        <Panel desk={desk} update={update} onClose={close} />
      ) : (
        <RowActions desk={desk} update={update} />
      )}
    </li>
  );
}

/** What waits is shown whole, because somebody has to decide on it. */
function Words({ update, language }: { update: DeskUpdate; language: string }) {
  const { state, headline, body, photos, desk_note, withdrawn_reason } = update;
  const out = state === 'published';
  return (
    <div className="words" lang={language}>
      {headline && <h3>{headline}</h3>}
      {out ? <p>{excerpt(body, EXCERPT)}</p> : <Body body={body} />}
      {state !== 'withdrawn' && <RowPhotos photos={photos} />}
      {state === 'withdrawn' && (
        <p>
          <b>{words.list.reason}</b> {withdrawn_reason}
        </p>
      )}
      {body.length === 0 && !headline && state !== 'withdrawn' && (
        <p className="help">{words.list.noWords}</p>
      )}
      {desk_note && (
        <p className="desk-note">
          <b>{words.list.deskNote}</b> {desk_note}
        </p>
      )}
    </div>
  );
}
