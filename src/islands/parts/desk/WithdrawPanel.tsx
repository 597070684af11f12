import { type SubmitEvent, useId, useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { corrections } from '../../../lib/text/corrections.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { runAction } from '../../stores/acts.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { Field } from './Field.tsx';
import { nameOfUpdate } from './naming.ts';
import { Panel } from './Panel.tsx';
import { PanelEnd } from './PanelEnd.tsx';
import { clearDraft, useDraft, withdrawScope } from './useKept.ts';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; update: DeskUpdate; onClose: () => void };

/** Withdraws a published update with a public reason, and says what disappears and what stays. */
export function WithdrawPanel({ desk, update, onClose }: Props) {
  const [task] = useState(makeTask);
  const { pinned_update } = useShared(desk.$coverage);
  const { form, change } = useDraft(desk, update.id, withdrawScope(update.id), { reason: '' });
  const state = useShared(task.$state);
  const effectsId = useId();
  const problem =
    state.step === 'refused' && state.refusal.field === 'reason' ? state.refusal.sentence : undefined;

  const withdraw = async (event: SubmitEvent) => {
    event.preventDefault();
    const updateAction = { kind: 'withdraw', reason: form.reason } as const;
    if (!(await task.run(() => runAction(desk, update, updateAction, messages.withdraw.done)))) return;
    await clearDraft(desk, withdrawScope(update.id));
    await desk.refresh();
    onClose();
  };
  return (
    <Panel onClose={onClose}>
      <form onSubmit={withdraw} noValidate aria-describedby={effectsId}>
        <ul className="means" id={effectsId}>
          {effectsOf(update, pinned_update).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <Field label={messages.withdraw.reason} help={messages.withdraw.reasonHelp} problem={problem}>
          {(control) => (
            <textarea
              {...control}
              rows={2}
              value={form.reason}
              onChange={(event) => change({ reason: event.target.value })}
              required
            />
          )}
        </Field>
        <PanelEnd
          state={state}
          slug={desk.$coverage.get().slug}
          confirm={messages.withdraw.confirm}
          onClose={onClose}
          about={nameOfUpdate(update)}
        />
      </form>
    </Panel>
  );
}

/** Messages about what a withdrawal removes and what stays. */
function effectsOf({ id, photos, key_event }: DeskUpdate, pinned: string | null): string[] {
  const { words: go, photos: pictures, keyEvent, pinned: held, stays } = corrections.withdrawal;
  return [
    go,
    ...(photos.length > 0 ? [pictures(photos.length)] : []),
    ...(key_event ? [keyEvent] : []),
    ...(pinned === id ? [held] : []),
    stays,
  ];
}
