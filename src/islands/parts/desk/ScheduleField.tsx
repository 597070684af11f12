import { type KeyboardEvent, useState } from 'react';
import { clockNote, localTime } from '../../../lib/desk/schedule.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { Field } from './Field.tsx';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; before?: DeskUpdate; problem?: string; sending: boolean };

/** Publication time in the coverage's time zone, with its own button. */
export function ScheduleField({ desk, before, problem, sending }: Props) {
  const { time_zone } = useShared(desk.$coverage);
  const at = before?.scheduled_for;
  const [time, setTime] = useState(at ? localTime(at, time_zone) : '');
  // Enter would press the form's first button, which publishes.
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const form = event.currentTarget.form;
    form?.requestSubmit(form.querySelector<HTMLElement>('button[value="schedule"]'));
  };
  return (
    <details className="schedule" open={problem !== undefined || undefined}>
      <summary>{at ? messages.schedule.otherTime : messages.schedule.later}</summary>
      <Field label={messages.schedule.at(time_zone)} help={messages.schedule.help} problem={problem}>
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            name="at"
            value={time}
            onChange={(event) => setTime(event.target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <p className="status" role="status">
        {clockNote(time, time_zone)}
      </p>
      <div className="actions">
        <button type="submit" name="saving" value="schedule" aria-disabled={sending || undefined}>
          {messages.saving.schedule}
        </button>
      </div>
    </details>
  );
}
