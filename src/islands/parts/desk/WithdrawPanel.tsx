import { useStore } from '@nanostores/react';
import { type SubmitEvent, useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { Field } from './Field.tsx';
import { Panel } from './Panel.tsx';
import { PanelEnd } from './PanelEnd.tsx';

type Props = { desk: Desk; update: DeskUpdate; onClose: () => void };

/** Takes a published update back, with a reason that readers see. */
export function WithdrawPanel({ desk, update, onClose }: Props) {
  const [task] = useState(makeTask);
  const [reason, setReason] = useState('');
  const state = useStore(task.$state);
  const field =
    state.step === 'refused' && state.refusal.field === 'reason' ? state.refusal.sentence : undefined;

  const withdraw = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(await task.run(() => desk.press('withdraw_update', { update_id: update.id, reason })))) return;
    desk.$said.set(words.withdraw.done);
    await desk.refresh();
    onClose();
  };
  return (
    <Panel>
      <form onSubmit={withdraw} noValidate>
        <Field label={words.withdraw.reason} help={words.withdraw.reasonHelp} problem={field}>
          {(control) => (
            <textarea
              {...control}
              rows={2}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              required
            />
          )}
        </Field>
        <PanelEnd
          state={state}
          slug={desk.$coverage.get().slug}
          confirm={words.withdraw.confirm}
          onClose={onClose}
        />
      </form>
    </Panel>
  );
}
