import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { shorten } from '../lib/domain/body/blocks.ts';
import { acceptsUpdates, isClosed } from '../lib/domain/desk.ts';
import { mayWrite } from '../lib/domain/permissions.ts';
import type { DeskContext } from './desk/context.ts';
import { CloseButton, fullScreenEntry, isNarrowScreen, useFullScreen } from './desk/controls.tsx';
import type { Desk } from './desk/desk.ts';
import { useDesk } from './desk/hooks.ts';
import { KeyboardShortcuts, useShortcuts } from './desk/KeyboardShortcuts.tsx';
import { deskIsland, useMessages } from './desk/messages.tsx';
import { openDraftStore } from './editor/draft-store.ts';
import { Editor } from './editor/Editor.tsx';
import { type EditorStore, makeEditor } from './editor/editor.ts';
import { PhotoTray } from './photos/PhotoTray.tsx';
import { undescribedPhotos } from './photos/WaitingPhotos.tsx';
import { useShared } from './shared/use-shared.ts';

/** Name of the composer's entry in the history. */
const ENTRY = 'composer';

function Composer(context: DeskContext) {
  const messages = useMessages();
  const desk = useDesk(context);
  const { id, state } = useShared(desk.$coverage);
  const [editor] = useState(() => makeEditor(messages, desk, openDraftStore(desk.person.id, id, 'new')));
  const isReady = useShared(editor.$isReady);
  useEffect(() => desk.photos.start(), [desk]);
  const place = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const { isOpen, open, close } = useOpen(desk, place, opener);
  useShortcuts([
    { key: 'n', label: messages.composer.shortcuts.write, run: open, when: () => mayWrite(desk.person) },
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.nativeEvent.isComposing) close();
  };
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
    <>
      <OpenComposer ref={opener} desk={desk} editor={editor} isOpen={isOpen} onOpen={open} />
      <section
        ref={place}
        className={isOpen ? 'composer full-screen' : 'composer'}
        aria-labelledby="composer-title"
        onKeyDown={onKeyDown}
      >
        <KeyboardShortcuts>
          <h2 id="composer-title">{messages.composer.title}</h2>
          <span className="close-composer">
            <CloseButton about={messages.composer.title} onClose={close} />
          </span>
        </KeyboardShortcuts>
        {!acceptsUpdates(state) && (
          <p className="help">{isClosed(state) ? messages.composer.over : messages.composer.notYet}</p>
        )}
        <PhotoTray desk={desk} editor={editor} />
        <Editor desk={desk} editor={editor} isReady={isReady} />
      </section>
    </>
  );
}

/** Opens the composer, which fills a narrow screen. On a wide screen it is always open. */
function useOpen(
  desk: Pick<Desk, 'view'>,
  place: RefObject<HTMLElement | null>,
  opener: RefObject<HTMLButtonElement | null>,
) {
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    if (!isOpen) return;
    // From now on the outbox shows the publication and its undo.
    desk.view.$published.set(null);
    setOpen(false);
    requestAnimationFrame(() => opener.current?.focus());
  };
  useFullScreen(place, ENTRY, isOpen, close);
  useEffect(() => {
    const openAtEntry = () => {
      if (isNarrowScreen() && fullScreenEntry() === ENTRY) setOpen(true);
    };
    // After a reload, or when the person came back from another page.
    openAtEntry();
    addEventListener('popstate', openAtEntry);
    return () => removeEventListener('popstate', openAtEntry);
  }, []);
  const open = () => {
    if (isNarrowScreen()) setOpen(true);
    focusText(place.current);
  };
  useEffect(() => {
    if (isOpen) focusText(place.current);
  }, [isOpen, place]);
  return { isOpen, open, close };
}

const focusText = (composer: HTMLElement | null) =>
  composer?.querySelector<HTMLElement>('textarea[name="body"]')?.focus();

type OpenComposerProps = {
  ref: RefObject<HTMLButtonElement | null>;
  desk: Pick<Desk, 'followUps'>;
  editor: EditorStore;
  isOpen: boolean;
  onOpen(): void;
};

/** Button that opens the composer on a narrow screen. It shows the draft, and how many photos wait for alt text. */
function OpenComposer({ ref, desk, editor, isOpen, onOpen }: OpenComposerProps) {
  const messages = useMessages();
  const { form } = useShared(editor.$edited);
  const isReady = useShared(editor.$isReady);
  const waiting = undescribedPhotos(useShared(desk.followUps.$stored));
  const draft = form.body.trim() || form.headline.trim();
  return (
    <div className="open-composer" hidden={isOpen}>
      <button ref={ref} type="button" disabled={!isReady} onClick={onOpen}>
        {draft
          ? messages.composer.continueDraft(shorten(draft, DRAFT_LENGTH))
          : messages.composer.placeholder}
      </button>
      {waiting > 0 && (
        <button type="button" className="quiet" onClick={onOpen}>
          {messages.deskPhotos.waiting.count(waiting)}
        </button>
      )}
    </div>
  );
}

/** Length of the shown beginning of a draft in characters. */
const DRAFT_LENGTH = 40;

/** Form for a new update. Its content is stored on the device at every change. */
export const UpdateComposer = deskIsland(Composer);
