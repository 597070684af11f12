import { useEffect, useRef, useState } from 'react';
import { isOver, takesUpdates } from '../lib/desk/coverage.ts';
import { mayWrite } from '../lib/desk/rights.ts';
import { composer } from '../lib/text/composer.ts';
import { openDraftStore } from './browser/kept-work.ts';
import { Editor } from './parts/desk/Editor.tsx';
import { KeysPanel } from './parts/desk/KeysPanel.tsx';
import { PhotoTray } from './parts/desk/PhotoTray.tsx';
import { useDesk } from './parts/desk/useDesk.ts';
import { useShared } from './parts/desk/useShared.ts';
import { useShortcuts } from './parts/desk/useShortcuts.ts';
import { useStill } from './parts/desk/useStill.ts';
import type { DeskContext } from './stores/desk.ts';
import { makeEditor } from './stores/editor.ts';

/** Form for a new update. Its content is stored on the device at every change. */
export function UpdateComposer(context: DeskContext) {
  const desk = useDesk(context);
  const { id, state } = useShared(desk.$coverage);
  const [editor] = useState(() => makeEditor(desk, openDraftStore(desk.person.id, id, 'new')));
  const isReady = useShared(editor.$isReady);
  useEffect(() => desk.photos.start(), [desk]);
  const place = useRef<HTMLElement>(null);
  useStill(place);
  const focus = () => place.current?.querySelector<HTMLElement>('textarea[name="body"]')?.focus();
  useShortcuts([
    { key: 'n', label: composer.shortcuts.write, run: focus, when: () => mayWrite(desk.person) },
  ]);
  if (!mayWrite(desk.person)) {
    return (
      <div className="no-composer">
        <KeysPanel>
          <p className="help">{composer.readOnly}</p>
        </KeysPanel>
      </div>
    );
  }
  return (
    <section ref={place} className="composer" aria-labelledby="composer-title">
      <KeysPanel>
        <h2 id="composer-title">{composer.title}</h2>
      </KeysPanel>
      {!takesUpdates(state) && <p className="help">{isOver(state) ? composer.over : composer.notYet}</p>}
      <PhotoTray desk={desk} editor={editor} />
      <Editor desk={desk} editor={editor} isReady={isReady} />
    </section>
  );
}
