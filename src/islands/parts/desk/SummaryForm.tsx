import { type SubmitEvent, useEffect } from 'react';
import { desk as messages } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import type { SummaryForm as Form } from '../../stores/summary-form.ts';
import { Field } from './Field.tsx';
import { PanelEnd } from './PanelEnd.tsx';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; form: Form; onClose: () => void };

/** Form for a coverage's summary. */
export function SummaryForm({ desk, form, onClose }: Props) {
  const { slug, language } = useShared(desk.$coverage);
  const text = useShared(form.$text);
  useEffect(() => form.start(), [form]);

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    await form.save();
    onClose();
  };
  return (
    <form onSubmit={save} noValidate>
      <Field label={messages.coverage.editSummary} help={messages.coverage.summaryHelp}>
        {(control) => (
          <textarea
            {...control}
            rows={4}
            lang={language}
            dir="auto"
            value={text}
            onChange={(event) => form.type(event.target.value)}
          />
        )}
      </Field>
      <PanelEnd
        state={{ step: 'idle' }}
        slug={slug}
        confirm={messages.coverage.saveSummary}
        onClose={onClose}
        about={messages.coverage.editSummary}
      />
    </form>
  );
}
