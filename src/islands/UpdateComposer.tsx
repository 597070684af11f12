import { useStore } from '@nanostores/react';
import { useEffect, useState } from 'react';
import { isOver, takesUpdates } from '../lib/desk/coverage.ts';
import { mayWrite } from '../lib/desk/rights.ts';
import { desk as words } from '../lib/text/desk.ts';
import { keeper } from './browser/kept-work.ts';
import { Editor } from './parts/desk/Editor.tsx';
import { PhotoTray } from './parts/desk/PhotoTray.tsx';
import { useDesk } from './parts/desk/useDesk.ts';
import type { DeskContext } from './stores/desk.ts';
import { makeEditor } from './stores/editor.ts';

/** Where a new update is written: always at hand, and its words are kept on the device at every change. */
export function UpdateComposer(context: DeskContext) {
  const desk = useDesk(context);
  const { id, state } = useStore(desk.$coverage);
  const [editor] = useState(() => makeEditor(desk, keeper(desk.person.id, id, 'new')));
  const [isReady, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  useEffect(() => desk.photos.start(), [desk]);
  if (!mayWrite(desk.person)) return <p className="help no-composer">{words.composer.readOnly}</p>;
  return (
    <section className="composer" aria-labelledby="composer-title">
      <h2 id="composer-title">{words.composer.title}</h2>
      {!takesUpdates(state) && (
        <p className="help">{isOver(state) ? words.composer.over : words.composer.notYet}</p>
      )}
      <PhotoTray desk={desk} editor={editor} />
      <Editor desk={desk} editor={editor} isReady={isReady} />
    </section>
  );
}
