import { useEffect, useState } from 'react';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { keeper } from '../../browser/kept-work.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeEditor } from '../../stores/editor.ts';
import { sentenceOf } from '../../stores/saying.ts';
import { Editor } from './Editor.tsx';
import { OpenElsewhere } from './OpenElsewhere.tsx';
import { Panel } from './Panel.tsx';
import { changePlace, forgetKept } from './useKept.ts';
import { useShared } from './useShared.ts';

type Props = { desk: Desk; update: DeskUpdate; onClose: () => void };

/** An update of the list, opened again in its place. What was seen when it was opened is what is saved over. */
export function EditPanel({ desk, update, onClose }: Props) {
  const [editor] = useState(() =>
    makeEditor(desk, keeper(desk.person.id, update.coverage_id, update.id), update),
  );
  const status = useShared(editor.$status);
  const isReady = useShared(editor.$isReady);
  useEffect(() => {
    const open = desk.$open.get();
    if (!isReady || !open?.words) return;
    desk.$open.set({ id: open.id, panel: open.panel });
    editor.rebase(update, open.words);
  }, [isReady, desk, editor, update]);
  useEffect(() => {
    if (status.step !== 'sent') return;
    desk.$said.set(sentenceOf(status.what));
    void forgetKept(desk, changePlace(update.id));
    onClose();
  }, [status, desk, update.id, onClose]);
  return (
    <Panel onClose={onClose}>
      <OpenElsewhere desk={desk} id={update.id} />
      <Editor desk={desk} editor={editor} isReady={isReady} onClose={onClose} />
    </Panel>
  );
}
