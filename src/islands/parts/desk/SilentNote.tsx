import { useState } from 'react';
import { deskClock } from '../../../lib/desk/clock.ts';
import { running as messages } from '../../../lib/text/running.ts';
import { timeBeside } from '../../../lib/time/days.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { TaskNote } from './TaskNote.tsx';
import { useShared } from './useShared.ts';

/** Reminds those who run a live coverage that nothing has happened in it for long, until they say what is to become of it. */
export function SilentNote({ desk }: { desk: Desk }) {
  const coverage = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const progress = useShared(task.$state);
  const { id, quiet_since } = coverage;
  if (!quiet_since) return null;

  const act = (press: () => Promise<unknown>, said = '') =>
    task.run(async () => {
      await press();
      await desk.refresh();
      if (said) desk.$said.set(said);
      // The note goes with its buttons: the ways that the coverage may go stay.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.querySelector<HTMLElement>('.moves')?.focus();
      });
    });
  const enter = (state: 'paused' | 'ended') =>
    act(() => desk.press('set_coverage_state', { coverage_id: id, state }));
  return (
    <div className="refused">
      <p role="status">
        {messages.silent.since(timeBeside(quiet_since, new Date(), deskClock(coverage)))}{' '}
        {messages.silent.choose}
      </p>
      <div className="actions">
        <button type="button" onClick={() => enter('ended')}>
          {messages.silent.end}
        </button>
        <button type="button" onClick={() => enter('paused')}>
          {messages.silent.pause}
        </button>
        <button
          type="button"
          onClick={() =>
            act(() => desk.press('continue_coverage', { coverage_id: id }), messages.silent.wentOn)
          }
        >
          {messages.silent.goOn}
        </button>
      </div>
      <TaskNote state={progress} slug={coverage.slug} />
    </div>
  );
}
