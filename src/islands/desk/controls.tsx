import { type ReactNode, useEffect, useId, useRef } from 'react';
import { desk as messages } from '../../lib/i18n/desk.ts';
import type { Refusal } from '../../lib/i18n/refusals.ts';
import type { TaskState } from './task.ts';

/** @param about what is closed, as it is said to whoever does not see where the button stands */
export function CloseButton({ about, onClose }: { about: string; onClose: () => void }) {
  return (
    <button
      type="button"
      className="quiet"
      aria-label={messages.about(messages.close, about)}
      onClick={onClose}
    >
      {messages.close}
    </button>
  );
}

type PanelProps = {
  children: ReactNode;
  /** Closes it: Escape does so too. Absent where what stands around it hears the key. */
  onClose?: () => void;
};

/** Something that opened in its place: the focus goes into it, to what is marked as its first. Where it goes from there is for whoever closes it. */
export function Panel({ children, onClose }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // What says something in it may have taken the focus.
    if (panel.current?.contains(document.activeElement)) return;
    const first = panel.current?.querySelector<HTMLElement>('[data-first]');
    (first ?? panel.current?.querySelector<HTMLElement>('textarea, input, button'))?.focus();
  }, []);
  useEffect(() => {
    const place = panel.current;
    if (!place || !onClose) return;
    const onKeyDown = ({ key, target, isComposing }: KeyboardEvent) => {
      // Escape of a word that is being put together ends that word; of panels in panels it closes the innermost.
      if (key !== 'Escape' || isComposing || !(target instanceof Element)) return;
      if (target.closest('.panel') === place) onClose();
    };
    place.addEventListener('keydown', onKeyDown);
    return () => place.removeEventListener('keydown', onKeyDown);
  }, [onClose]);
  return (
    <div className="panel" ref={panel}>
      {children}
    </div>
  );
}

/** The way to sign in and back to a desk, in another tab: what was typed in this one stays. */
export function SignInLink({ slug }: { slug: string }) {
  return (
    <a href={`/sign-in?next=/desk/${slug}`} target="_blank" rel="noopener">
      {messages.status.signIn}
    </a>
  );
}

type RefusalNoteProps = { refusal: Refusal; sentence?: string; slug: string };

/** Why something was not done and what to do next; it takes the focus when it appears. */
export function RefusalNote({ refusal, sentence = refusal.sentence, slug }: RefusalNoteProps) {
  const note = useRef<HTMLParagraphElement>(null);
  // Every refusal is a new one, also with the same words.
  useEffect(() => {
    if (refusal) note.current?.focus();
  }, [refusal]);
  return (
    <p className="refused" ref={note} tabIndex={-1}>
      {refusal.code === 'signed_out' ? (
        <>
          {messages.status.signedOut} <SignInLink slug={slug} /> {messages.status.signInThen}
        </>
      ) : (
        sentence
      )}
    </p>
  );
}

/** What becomes of something small: that it is being sent, or why it was not done. */
export function TaskNote({ state, slug }: { state: TaskState; slug: string }) {
  return (
    <>
      <span className="status" role="status">
        {state.step === 'doing' && messages.status.sending}
      </span>
      {state.step === 'refused' && <RefusalNote refusal={state.refusal} slug={slug} />}
    </>
  );
}

type PanelEndProps = {
  state: TaskState;
  slug: string;
  /** What the press is called. */
  confirm: string;
  /** What the press does; without it, it sends the form around it. */
  onConfirm?: () => void;
  onClose: () => void;
  /** What is closed, as it is said to whoever does not see where the button stands. */
  about: string;
};

/** The foot of a panel: what became of the press, the press, and the way out. */
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

type ControlProps = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

type FieldProps = {
  label: string;
  help?: string;
  problem?: string;
  /** The label says what the heading above says to everybody else: only for those who listen. */
  isHeaded?: boolean;
  children: (control: ControlProps) => ReactNode;
};

/** A control with its label, its help, and what is wrong with it. */
export function Field({ label, help, problem, isHeaded, children }: FieldProps) {
  const id = useId();
  const described = [help && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  return (
    <p className="field">
      <label htmlFor={id} className={isHeaded ? 'visually-hidden' : undefined}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': problem ? true : undefined })}
      {help && (
        <span className="help" id={`${id}-help`}>
          {help}
        </span>
      )}
      {problem && (
        <strong className="problem" id={`${id}-problem`}>
          {problem}
        </strong>
      )}
    </p>
  );
}
