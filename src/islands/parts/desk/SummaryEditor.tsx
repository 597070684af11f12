import { useRef, useState } from 'react';
import { writeBody } from '../../../lib/body/write.ts';
import { mayRun } from '../../../lib/desk/rights.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { directionOf } from '../../../lib/text/direction.ts';
import { running } from '../../../lib/text/running.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeSummaryForm } from '../../stores/summary-form.ts';
import { Body } from '../Body.tsx';
import { Panel } from './Panel.tsx';
import { SummaryForm } from './SummaryForm.tsx';
import { SummaryVersions } from './SummaryVersions.tsx';
import { useShared } from './useShared.ts';

/** The current summary with its versions, and a form for editors. */
export function SummaryEditor({ desk }: { desk: Desk }) {
  const { summary, language } = useShared(desk.$coverage);
  const [form] = useState(() => makeSummaryForm(desk));
  const [open, setOpen] = useState(false);
  const heading = useRef<HTMLElement>(null);
  const isEditor = mayRun(desk.person);
  const close = () => {
    setOpen(false);
    heading.current?.focus();
  };
  return (
    <details className="summary-editor">
      <summary ref={heading}>{messages.coverage.summary}</summary>
      {summary.length > 0 ? (
        <div lang={language} dir={directionOf(language)}>
          <Body body={summary} />
        </div>
      ) : (
        <p className="help">{messages.coverage.noSummary}</p>
      )}
      {open && (
        <Panel onClose={close}>
          <SummaryForm desk={desk} form={form} onClose={close} />
        </Panel>
      )}
      {isEditor && !open && (
        <div className="actions">
          <button type="button" onClick={() => setOpen(true)}>
            {messages.coverage.editSummary}
          </button>
        </div>
      )}
      <SummaryVersions
        desk={desk}
        {...(isEditor && {
          onRestore(version) {
            form.type(writeBody(version.summary));
            setOpen(true);
            desk.$said.set(running.versions.broughtBack);
          },
        })}
      />
    </details>
  );
}
