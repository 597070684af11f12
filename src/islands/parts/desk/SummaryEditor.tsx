import { useStore } from '@nanostores/react';
import { type SubmitEvent, useRef, useState } from 'react';
import { parseBody } from '../../../lib/body/parse.ts';
import { writeBody } from '../../../lib/body/write.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import { makeCoverageForm } from '../../stores/coverage-form.ts';
import type { Desk } from '../../stores/desk.ts';
import { Body } from '../Body.tsx';
import { Field } from './Field.tsx';
import { Panel } from './Panel.tsx';
import { PanelEnd } from './PanelEnd.tsx';

/** What is known so far: as it stands, and a box to write it anew. */
export function SummaryEditor({ desk }: { desk: Desk }) {
  const { summary } = useStore(desk.$coverage);
  const [open, setOpen] = useState(false);
  const heading = useRef<HTMLElement>(null);
  const close = () => {
    setOpen(false);
    heading.current?.focus();
  };
  return (
    <details className="summary-editor">
      <summary ref={heading}>{words.coverage.summary}</summary>
      {summary.length > 0 ? <Body body={summary} /> : <p className="help">{words.coverage.noSummary}</p>}
      {open ? (
        <SummaryForm desk={desk} onClose={close} />
      ) : (
        <div className="actions">
          <button type="button" onClick={() => setOpen(true)}>
            {words.coverage.editSummary}
          </button>
        </div>
      )}
    </details>
  );
}

function SummaryForm({ desk, onClose }: { desk: Desk; onClose: () => void }) {
  const coverage = useStore(desk.$coverage);
  const [form] = useState(() => makeCoverageForm(desk, ({ summary }) => writeBody(summary)));
  const text = useStore(form.$typed);
  const progress = useStore(form.$state);
  const refusal = progress.step === 'refused' ? progress.refusal : undefined;

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const isOver = await form.save(
      (text, seen) => desk.press('set_summary', { ...seen, summary: parseBody(text, coverage.summary) }),
      words.coverage.summarySaved,
    );
    if (isOver) onClose();
  };
  return (
    <Panel>
      <form onSubmit={save} noValidate>
        <Field
          label={words.coverage.editSummary}
          help={words.coverage.summaryHelp}
          problem={refusal?.field === 'summary' ? refusal.sentence : undefined}
        >
          {(control) => (
            <textarea
              {...control}
              rows={4}
              value={text}
              onChange={(event) => form.type(event.target.value)}
            />
          )}
        </Field>
        <PanelEnd
          state={progress}
          slug={coverage.slug}
          confirm={words.coverage.saveSummary}
          onClose={onClose}
        />
      </form>
    </Panel>
  );
}
