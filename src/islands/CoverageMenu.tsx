import { isPublicState } from '../lib/domain/desk.ts';
import { mayRun } from '../lib/domain/permissions.ts';
import { StateMenu } from './desk/CoverageState.tsx';
import type { DeskContext } from './desk/context.ts';
import { useDesk } from './desk/hooks.ts';
import { deskIsland, useMessages } from './desk/messages.tsx';
import { useShared } from './shared/use-shared.ts';

function Menu(context: DeskContext) {
  const messages = useMessages();
  const desk = useDesk(context);
  const { slug, state } = useShared(desk.$coverage);
  return (
    <div className="coverage-menu">
      {mayRun(desk.person) ? (
        <StateMenu desk={desk} />
      ) : (
        <b className={state === 'live' ? 'live' : undefined}>{messages.desk.states[state]}</b>
      )}
      {isPublicState(state) && (
        <a className="view-page" href={`/live/${slug}`}>
          {messages.desk.coverage.readersPage}
        </a>
      )}
    </div>
  );
}

/** State of the coverage with the actions that change it, and the link to its live page. */
export const CoverageMenu = deskIsland(Menu);
