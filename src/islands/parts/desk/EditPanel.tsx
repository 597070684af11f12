import { useStore } from '@nanostores/react';
import { useEffect, useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { keeper } from '../../browser/kept-work.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeEditor } from '../../stores/editor.ts';
import { Editor } from './Editor.tsx';
import { Panel } from './Panel.tsx';
import { sentenceOf } from './saving.ts';

type Props = { desk: Desk; update: DeskUpdate; onClose: () => void };

/** An update of the list, opened again in its place. What was seen when it was opened is what is saved over. */
export function EditPanel({ desk, update, onClose }: Props) {
  const [editor] = useState(() =>
    makeEditor(desk, keeper(desk.person.id, update.coverage_id, update.id), update),
  );
  const status = useStore(editor.$status);
  useEffect(() => {
    if (status.step !== 'sent') return;
    desk.$said.set(sentenceOf(status.what));
    onClose();
  }, [status, desk, onClose]);
  return (
    <Panel>
      <Editor desk={desk} editor={editor} isReady onClose={onClose} />
    </Panel>
  );
}
