import { type SubmitEvent, useEffect } from 'react';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import type { SummaryForm as Form } from '../../stores/summary-form.ts';
import { Field } from './Field.tsx';
import { PanelEnd } from './PanelEnd.tsx';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; form: Form; onClose: () => void };

/** The box in which a summary is written anew. */
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
      <Field label={words.coverage.editSummary} help={words.coverage.summaryHelp}>
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
        confirm={words.coverage.saveSummary}
        onClose={onClose}
        about={words.coverage.editSummary}
      />
    </form>
  );
}
