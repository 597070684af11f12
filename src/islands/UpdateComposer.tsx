import { useEffect, useRef, useState } from 'react';
import { acceptsUpdates, isClosed } from '../lib/domain/desk-coverages.ts';
import { mayWrite } from '../lib/domain/permissions.ts';
import type { DeskContext } from './desk/context.ts';
import { useDesk, useSteadySize } from './desk/hooks.ts';
import { KeyboardShortcuts } from './desk/KeyboardShortcuts.tsx';
import { deskIsland, useMessages } from './desk/messages.tsx';
import { useShortcuts } from './desk/shortcuts.ts';
import { openDraftStore } from './editor/draft-store.ts';
import { Editor } from './editor/Editor.tsx';
import { makeEditor } from './editor/editor.ts';
import { PhotoTray } from './photos/PhotoTray.tsx';
import { useShared } from './shared/use-shared.ts';

function Composer(context: DeskContext) {
  const messages = useMessages();
  const desk = useDesk(context);
  const { id, state } = useShared(desk.$coverage);
  const [editor] = useState(() => makeEditor(messages, desk, openDraftStore(desk.person.id, id, 'new')));
  const isReady = useShared(editor.$isReady);
  useEffect(() => desk.photos.start(), [desk]);
  const place = useRef<HTMLElement>(null);
  useSteadySize(place);
  const focus = () => place.current?.querySelector<HTMLElement>('textarea[name="body"]')?.focus();
  useShortcuts([
    { key: 'n', label: messages.composer.shortcuts.write, run: focus, when: () => mayWrite(desk.person) },
  ]);
  if (!mayWrite(desk.person)) {
    return (
      <div className="no-composer">
        <KeyboardShortcuts>
          <p className="help">{messages.composer.readOnly}</p>
        </KeyboardShortcuts>
      </div>
    );
  }
  return (
    <section ref={place} className="composer" aria-labelledby="composer-title">
      <KeyboardShortcuts>
        <h2 id="composer-title">{messages.composer.title}</h2>
      </KeyboardShortcuts>
      {!acceptsUpdates(state) && (
        <p className="help">{isClosed(state) ? messages.composer.over : messages.composer.notYet}</p>
      )}
      <PhotoTray desk={desk} editor={editor} />
      <Editor desk={desk} editor={editor} isReady={isReady} />
    </section>
  );
}

/** Form for a new update. Its content is stored on the device at every change. */
export const UpdateComposer = deskIsland(Composer);
