import { useEffect, useState } from 'react';
import { reopenedScope } from '../../../lib/outbox/presses.ts';
import { openDraftStore } from '../../browser/kept-work.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeEditor } from '../../stores/editor.ts';
import type { QueuedCommandView } from '../../stores/outbox.ts';
import { Editor } from './Editor.tsx';
import { Panel } from './Panel.tsx';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; item: QueuedCommandView; onClose: () => void };

/** Editor for the content of a refused or held command. The next save replaces the command. */
export function ReopenedCommand({ desk, item, onClose }: Props) {
  const [editor] = useState(() => {
    const draftStore = openDraftStore(desk.person.id, desk.$coverage.get().id, reopenedScope(item.id));
    return makeEditor(desk, draftStore, item.edited?.before, item);
  });
  const status = useShared(editor.$status);
  const isReady = useShared(editor.$isReady);
  useEffect(() => {
    if (status.step === 'sent') onClose();
  }, [status, onClose]);
  return (
    <Panel onClose={onClose}>
      <Editor desk={desk} editor={editor} isReady={isReady} onClose={onClose} />
    </Panel>
  );
}
