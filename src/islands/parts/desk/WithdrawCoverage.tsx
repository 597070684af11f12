import { type SubmitEvent, useState } from 'react';
import { desk as messages } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { Field } from './Field.tsx';
import { Panel } from './Panel.tsx';
import { PanelEnd } from './PanelEnd.tsx';
import { useShared } from './useShared.ts';

/** Takes a whole coverage back, once its slug has been typed. */
export function WithdrawCoverage({ desk, onClose }: { desk: Desk; onClose: () => void }) {
  const { id, slug } = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string>();
  const progress = useShared(task.$state);

  const withdraw = async (event: SubmitEvent) => {
    event.preventDefault();
    setProblem(typed.trim() === slug ? undefined : messages.coverage.withdrawMismatch(slug));
    if (typed.trim() !== slug) return;
    const done = await task.run(() =>
      desk.press('set_coverage_state', { coverage_id: id, state: 'withdrawn' }),
    );
    if (!done) return;
    await desk.refresh();
    onClose();
  };
  return (
    <Panel onClose={onClose}>
      <form onSubmit={withdraw} noValidate>
        <Field
          label={messages.coverage.withdrawLabel(slug)}
          help={messages.coverage.withdrawWarning}
          problem={problem}
        >
          {(control) => (
            <input
              {...control}
              value={typed}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <PanelEnd
          state={progress}
          slug={slug}
          confirm={messages.coverage.withdrawConfirm}
          onClose={onClose}
          about={messages.coverage.withdrawConfirm}
        />
      </form>
    </Panel>
  );
}
