import { useStore } from '@nanostores/react';
import type { KeyboardEvent } from 'react';
import { localTime } from '../../../lib/desk/schedule.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { Field } from './Field.tsx';

type Props = { desk: Desk; before?: DeskUpdate; problem?: string; sending: boolean };

/** A time for the update to go out by itself, by the clocks of its coverage, and the button that means it. */
export function ScheduleField({ desk, before, problem, sending }: Props) {
  const { time_zone } = useStore(desk.$coverage);
  const at = before?.scheduled_for;
  // Enter in the field is this button, not the first of the form, which publishes.
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const form = event.currentTarget.form;
    form?.requestSubmit(form.querySelector<HTMLElement>('button[value="schedule"]'));
  };
  return (
    <details className="schedule" open={problem !== undefined || undefined}>
      <summary>{at ? words.schedule.otherTime : words.schedule.later}</summary>
      <Field label={words.schedule.at(time_zone)} help={words.schedule.help} problem={problem}>
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            name="at"
            defaultValue={at ? localTime(at, time_zone) : undefined}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <div className="actions">
        <button type="submit" name="saving" value="schedule" aria-disabled={sending || undefined}>
          {words.saving.schedule}
        </button>
      </div>
    </details>
  );
}
