import { useEffect, useState } from 'react';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { Panel } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { useMessages } from '../desk/messages.tsx';
import { statusMessageOf } from '../outbox/save.ts';
import { useShared } from '../shared/use-shared.ts';
import { openDraftStore } from './draft-store.ts';
import { Editor } from './Editor.tsx';
import { makeEditor } from './editor.ts';
import { changeScope, clearDraft, OpenElsewhereNote } from './open-editors.tsx';

type Props = { desk: Desk; update: DeskUpdate; onClose: () => void };

/** Editor for an update in the list. It saves over the version that was opened. */
export function EditPanel({ desk, update, onClose }: Props) {
  const messages = useMessages();
  const [editor] = useState(() =>
    makeEditor(messages, desk, openDraftStore(desk.person.id, update.coverage_id, update.id), update),
  );
  const status = useShared(editor.$status);
  const isReady = useShared(editor.$isReady);
  useEffect(() => {
    const open = desk.view.$open.get();
    if (!isReady || !open?.form) return;
    desk.view.$open.set({ id: open.id, panel: open.panel });
    editor.rebase(update, open.form);
  }, [isReady, desk, editor, update]);
  useEffect(() => {
    if (status.step !== 'sent') return;
    desk.view.$announcement.set(statusMessageOf(messages, status.saveStatus));
    void clearDraft(desk, changeScope(update.id));
    onClose();
  }, [status, desk, update.id, onClose, messages]);
  return (
    <Panel onClose={onClose}>
      <OpenElsewhereNote presence={desk.presence} id={update.id} />
      <Editor desk={desk} editor={editor} isReady={isReady} onClose={onClose} />
    </Panel>
  );
}
