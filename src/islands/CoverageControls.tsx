import { may } from '../lib/auth/permissions.ts';
import { isPublic } from '../lib/desk/coverage.ts';
import { mayRun } from '../lib/desk/rights.ts';
import { desk as messages } from '../lib/text/desk.ts';
import { running } from '../lib/text/running.ts';
import { PinnedUpdate } from './parts/desk/PinnedUpdate.tsx';
import { SilentNote } from './parts/desk/SilentNote.tsx';
import { StateButtons } from './parts/desk/StateButtons.tsx';
import { SummaryEditor } from './parts/desk/SummaryEditor.tsx';
import { useDesk } from './parts/desk/useDesk.ts';
import { useShared } from './parts/desk/useShared.ts';
import { WhoIsHere } from './parts/desk/WhoIsHere.tsx';
import { CoverageTips } from './parts/tips/CoverageTips.tsx';
import type { DeskContext } from './stores/desk.ts';

/** How the coverage stands, who works on it, and for editors the ways to run it. */
export function CoverageControls(context: DeskContext) {
  const desk = useDesk(context);
  const { slug, state } = useShared(desk.$coverage);
  const isEditor = mayRun(desk.person);
  return (
    <section className="controls" aria-label={messages.coverage.title}>
      {isEditor && <SilentNote desk={desk} />}
      <p className="row-line">
        <b className={state === 'live' ? 'live' : undefined}>{messages.states[state]}</b>
        {isPublic(state) && <a href={`/live/${slug}`}>{messages.coverage.readersPage}</a>}
        {isEditor && <a href={`/desk/${slug}/settings`}>{running.settings}</a>}
      </p>
      <p className="help">{running.stands[state]}</p>
      <WhoIsHere desk={desk} />
      {isEditor && <StateButtons desk={desk} />}
      <PinnedUpdate desk={desk} />
      <SummaryEditor desk={desk} />
      {may(desk.person.role, 'handle_tips') && <CoverageTips desk={desk} />}
    </section>
  );
}
