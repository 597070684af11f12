import { useState } from 'react';
import { running as messages } from '../../../lib/text/running.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { Panel } from './Panel.tsx';
import { PanelEnd } from './PanelEnd.tsx';
import { useShared } from './useShared.ts';

/** Closes a coverage for good, once it has been asked whether that is meant. */
export function ArchiveCoverage({ desk, onClose }: { desk: Desk; onClose: () => void }) {
  const { id, slug } = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const progress = useShared(task.$state);
  const archive = async () => {
    const done = await task.run(() =>
      desk.press('set_coverage_state', { coverage_id: id, state: 'archived' }),
    );
    if (!done) return;
    await desk.refresh();
    onClose();
  };
  return (
    <Panel onClose={onClose}>
      <p>
        <b>{messages.archiveTitle}</b>
      </p>
      <p className="help">{messages.means.archived}</p>
      <PanelEnd
        state={progress}
        slug={slug}
        confirm={messages.archiveConfirm}
        onConfirm={archive}
        onClose={onClose}
        about={messages.archiveTitle}
      />
    </Panel>
  );
}
