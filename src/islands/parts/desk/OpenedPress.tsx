import { useEffect, useState } from 'react';
import { openedPlace } from '../../../lib/outbox/presses.ts';
import { keeper } from '../../browser/kept-work.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeEditor } from '../../stores/editor.ts';
import type { Outgoing } from '../../stores/outbox.ts';
import { Editor } from './Editor.tsx';
import { Panel } from './Panel.tsx';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; item: Outgoing; onClose: () => void };

/** The words of a press that was refused or taken back, to be written on. The next press takes its place. */
export function OpenedPress({ desk, item, onClose }: Props) {
  const [editor] = useState(() => {
    const kept = keeper(desk.person.id, desk.$coverage.get().id, openedPlace(item.id));
    return makeEditor(desk, kept, item.work?.before, item);
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
