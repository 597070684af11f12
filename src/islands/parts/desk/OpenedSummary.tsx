import { useState } from 'react';
import { desk as messages } from '../../../lib/text/desk.ts';
import { directionOf } from '../../../lib/text/direction.ts';
import type { Desk } from '../../stores/desk.ts';
import type { QueuedCommandView } from '../../stores/outbox.ts';
import { makeSummaryForm } from '../../stores/summary-form.ts';
import { Body } from '../Body.tsx';
import { Panel } from './Panel.tsx';
import { SummaryForm } from './SummaryForm.tsx';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; item: QueuedCommandView; onClose: () => void };

/** Editor for a refused or held summary, below the current summary. The next save replaces the command. */
export function ReopenedSummary({ desk, item, onClose }: Props) {
  const [form] = useState(() => makeSummaryForm(desk, item));
  const { summary, language } = useShared(desk.$coverage);
  return (
    <Panel onClose={onClose}>
      <h3>{messages.coverage.summary}</h3>
      <div lang={language} dir={directionOf(language)}>
        <Body body={summary} />
      </div>
      <SummaryForm desk={desk} form={form} onClose={onClose} />
    </Panel>
  );
}
