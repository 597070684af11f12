import { useStore } from '@nanostores/react';
import { isPublic } from '../lib/desk/coverage.ts';
import { mayRun } from '../lib/desk/rights.ts';
import { desk as words } from '../lib/text/desk.ts';
import { FollowingEditor } from './parts/desk/FollowingEditor.tsx';
import { StateButtons } from './parts/desk/StateButtons.tsx';
import { SummaryEditor } from './parts/desk/SummaryEditor.tsx';
import { useDesk } from './parts/desk/useDesk.ts';
import { WhoIsHere } from './parts/desk/WhoIsHere.tsx';
import type { DeskContext } from './stores/desk.ts';

/** How the coverage stands, who works on it, and for editors the ways to run it. */
export function CoverageControls(context: DeskContext) {
  const desk = useDesk(context);
  const { slug, state } = useStore(desk.$coverage);
  return (
    <section className="controls" aria-label={words.coverage.title}>
      <p className="row-line">
        <b className={state === 'live' ? 'live' : undefined}>{words.states[state]}</b>
        {isPublic(state) && <a href={`/live/${slug}`}>{words.coverage.readersPage}</a>}
      </p>
      <WhoIsHere desk={desk} />
      {mayRun(desk.person) && (
        <>
          <StateButtons desk={desk} />
          <SummaryEditor desk={desk} />
          <FollowingEditor desk={desk} />
        </>
      )}
    </section>
  );
}
