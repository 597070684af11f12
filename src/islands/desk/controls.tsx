import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { type Refusal, sentenceOf } from '../../lib/i18n/refusals.ts';
import { useMessages } from './messages.tsx';
import type { TaskState } from './task.ts';

/** @param about name of the closed panel, for screen readers */
export function CloseButton({ about, onClose }: { about: string; onClose: () => void }) {
  const messages = useMessages();
  return (
    <button
      type="button"
      className="quiet"
      aria-label={messages.desk.about(messages.desk.close, about)}
      onClick={onClose}
    >
      {messages.desk.close}
    </button>
  );
}

type PanelProps = {
  children: ReactNode;
  /** Closes the panel, also on Escape. Undefined when an outer element handles Escape. */
  onClose?: () => void;
};

type EditorPanelProps = {
  /** Distinguishes the panels of a page. */
  name: string;
  /** Name of the panel, shown where it fills the screen. */
  title: string;
  children: ReactNode;
  onClose: () => void;
};

/**
 * A panel opened in place. The focus moves to the element marked `data-first`, or to the first control. The caller
 * moves it when closing.
 */
export function Panel({ children, onClose }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  usePanel(panel, onClose);
  return (
    <div className="panel" ref={panel}>
      {children}
    </div>
  );
}

/** A panel with an editor, which fills a narrow screen. */
export function EditorPanel({ name, title, children, onClose }: EditorPanelProps) {
  const panel = useRef<HTMLElement>(null);
  usePanel(panel, onClose);
  useFullScreen(panel, name, true, onClose);
  return (
    <section className="panel full-screen" ref={panel} aria-label={title}>
      <p className="panel-title" aria-hidden="true">
        {title}
      </p>
      {children}
    </section>
  );
}

function usePanel(panel: RefObject<HTMLElement | null>, onClose?: () => void): void {
  useEffect(() => {
    // An element in the panel may already have taken the focus.
    if (panel.current?.contains(document.activeElement)) return;
    const first = panel.current?.querySelector<HTMLElement>('[data-first]');
    (first ?? panel.current?.querySelector<HTMLElement>('textarea, input, button'))?.focus();
  }, [panel]);
  useEffect(() => {
    const element = panel.current;
    if (!element || !onClose) return;
    const onKeyDown = ({ key, target, isComposing }: KeyboardEvent) => {
      // Escape during composition ends the composition. In nested panels it closes the innermost.
      if (key !== 'Escape' || isComposing || !(target instanceof Element)) return;
      if (target.closest('.panel') === element) onClose();
    };
    element.addEventListener('keydown', onKeyDown);
    return () => element.removeEventListener('keydown', onKeyDown);
  }, [panel, onClose]);
}

/** Opens the sign-in page in another tab, so that typed text stays in this one. */
export function SignInLink({ slug }: { slug: string }) {
  const messages = useMessages();
  return (
    <a href={`/sign-in?next=/desk/${slug}`} target="_blank" rel="noopener">
      {messages.desk.status.signIn}
    </a>
  );
}

type RefusalNoteProps = { refusal: Refusal; sentence?: string; slug: string };

/** An error with the next step. It takes the focus when it appears. */
export function RefusalNote({ refusal, sentence, slug }: RefusalNoteProps) {
  const messages = useMessages();
  const note = useRef<HTMLParagraphElement>(null);
  // Each error is a new object, so a repeated error takes the focus again.
  useEffect(() => {
    if (refusal) note.current?.focus();
  }, [refusal]);
  return (
    <p className="refused" ref={note} tabIndex={-1}>
      {refusal.code === 'signed_out' ? (
        <>
          {messages.desk.status.signedOut} <SignInLink slug={slug} /> {messages.desk.status.signInThen}
        </>
      ) : (
        (sentence ?? sentenceOf(refusal, messages))
      )}
    </p>
  );
}

/** Status of a short operation: sending, or why it failed. */
export function TaskNote({ state, slug }: { state: TaskState; slug: string }) {
  const messages = useMessages();
  return (
    <>
      <span className="status" role="status">
        {state.step === 'doing' && messages.desk.status.sending}
      </span>
      {state.step === 'refused' && <RefusalNote refusal={state.refusal} slug={slug} />}
    </>
  );
}

type PanelEndProps = {
  state: TaskState;
  slug: string;
  /** Label of the main button. */
  confirm: string;
  /** Action of the main button; without it, the button submits the form. */
  onConfirm?: () => void;
  onClose: () => void;
  /** Name of the closed panel, for screen readers. */
  about: string;
};

/** Footer of a panel: status, main button and close button. */
export function PanelEnd({ state, slug, confirm, onConfirm, onClose, about }: PanelEndProps) {
  return (
    <>
      <TaskNote state={state} slug={slug} />
      <div className="actions">
        <button type={onConfirm ? 'button' : 'submit'} className="main" onClick={onConfirm}>
          {confirm}
        </button>
        <CloseButton about={about} onClose={onClose} />
      </div>
    </>
  );
}

/** Whether an editor fills the screen. The style sheet has the same limit. */
export const isNarrowScreen = (): boolean => matchMedia('(max-width: 63.99rem)').matches;

type HistoryState = { fullScreen?: string } | null;

/** Name of the editor that belongs to the current entry of the history. */
export const fullScreenEntry = (): string | undefined => (history.state as HistoryState)?.fullScreen;

/**
 * Lets an open editor fill a narrow screen. It gets its own entry in the history, so that going back closes it, and it
 * keeps above the on-screen keyboard. The style sheet hides the other parts of the page.
 * @param name distinguishes the editors of a page
 * @param onClose called after going back
 */
export function useFullScreen(
  element: RefObject<HTMLElement | null>,
  name: string,
  isOpen: boolean,
  onClose: () => void,
): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!isOpen || !isNarrowScreen()) return;
    const { scrollY } = window;
    if (fullScreenEntry() !== name) history.pushState({ fullScreen: name }, '');
    const onPopState = () => {
      if (fullScreenEntry() !== name) close.current();
    };
    addEventListener('popstate', onPopState);
    const stopFitting = fitAboveKeyboard(element.current);
    return () => {
      removeEventListener('popstate', onPopState);
      stopFitting();
      if (fullScreenEntry() === name) history.back();
      window.scrollTo({ top: scrollY, behavior: 'instant' });
    };
  }, [element, name, isOpen]);
}

/** Reports the visible part of the window to the style sheet. In some browsers the keyboard covers the page. */
function fitAboveKeyboard(element: HTMLElement | null): () => void {
  const viewport = window.visualViewport;
  if (!element || !viewport) return () => {};
  const resize = () => {
    element.style.setProperty('--view-top', `${viewport.offsetTop}px`);
    element.style.setProperty('--view-height', `${viewport.height}px`);
  };
  resize();
  for (const event of ['resize', 'scroll']) viewport.addEventListener(event, resize);
  return () => {
    for (const event of ['resize', 'scroll']) viewport.removeEventListener(event, resize);
  };
}
