import { useStore } from '@nanostores/react';
import { type SubmitEvent, useRef, useState } from 'react';
import { parseBody } from '../../../lib/body/parse.ts';
import { writeBody } from '../../../lib/body/write.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
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
  const [task] = useState(makeTask);
  const [text, setText] = useState(() => writeBody(coverage.summary));
  // The version that was seen: after a conflict the newer one stands above the box, and is the one seen.
  const [version, setVersion] = useState(coverage.version);
  const progress = useStore(task.$state);
  const refusal = progress.step === 'refused' ? progress.refusal : undefined;

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const summary = parseBody(text, coverage.summary);
    const done = await task.run(() =>
      desk.press('set_summary', { coverage_id: coverage.id, version, summary }),
    );
    await desk.refresh();
    setVersion(desk.$coverage.get().version);
    if (!done) return;
    desk.$said.set(words.coverage.summarySaved);
    onClose();
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
            <textarea {...control} rows={4} value={text} onChange={(event) => setText(event.target.value)} />
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
