import { isPublicState } from '../lib/domain/desk-coverages.ts';
import { may, mayRun } from '../lib/domain/permissions.ts';
import { StateButtons } from './desk/CoverageState.tsx';
import type { DeskContext } from './desk/context.ts';
import { useDesk } from './desk/hooks.ts';
import { deskIsland, useMessages } from './desk/messages.tsx';
import { PresenceNote, QuietNote } from './desk/notes.tsx';
import { PinnedUpdate } from './desk/PinnedUpdate.tsx';
import { SummaryEditor } from './desk/SummaryEditor.tsx';
import { useShared } from './shared/use-shared.ts';
import { CoverageTips } from './tip-queue/CoverageTips.tsx';

function Controls(context: DeskContext) {
  const messages = useMessages();
  const desk = useDesk(context);
  const { slug, state } = useShared(desk.$coverage);
  const isEditor = mayRun(desk.person);
  return (
    <section className="controls" aria-label={messages.desk.coverage.title}>
      {isEditor && <QuietNote desk={desk} />}
      <p className="row-line">
        <b className={state === 'live' ? 'live' : undefined}>{messages.desk.states[state]}</b>
        {isPublicState(state) && <a href={`/live/${slug}`}>{messages.desk.coverage.readersPage}</a>}
        {isEditor && <a href={`/desk/${slug}/settings`}>{messages.running.settings}</a>}
      </p>
      <p className="help">{messages.running.stands[state]}</p>
      <PresenceNote presence={desk.presence} $channelState={desk.sync.$channelState} />
      {isEditor && <StateButtons desk={desk} />}
      <PinnedUpdate desk={desk} />
      <SummaryEditor desk={desk} />
      {may(desk.person.role, 'handle_tips') && <CoverageTips desk={desk} />}
    </section>
  );
}

/** State of the coverage, presence, and for editors the controls to run it. */
export const CoverageControls = deskIsland(Controls);
