import { type ReactNode, type SubmitEvent, useEffect, useId, useRef } from 'react';
import { TaskNote } from './controls.tsx';
import { useMessages } from './messages.tsx';
import type { TaskState } from './task.ts';

type ConfirmDialogProps = {
  title: string;
  /** Effects of the action, and fields that it needs. */
  children: ReactNode;
  /** Label of the button that runs the action. */
  confirm: string;
  state: TaskState;
  slug: string;
  onConfirm(): void;
  /** Called when the dialog was closed, also by Escape. The caller moves the focus. */
  onClose(): void;
};

/** Asks before an action. The focus is on the element marked `data-first`, or on the button that cancels. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  state,
  slug,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const messages = useMessages();
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    (dialog.current?.querySelector<HTMLElement>('[data-first]') ?? cancel.current)?.focus();
  }, []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <dialog ref={dialog} className="confirm" aria-labelledby={`${id}-title`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <h2 id={`${id}-title`}>{title}</h2>
        {children}
        <TaskNote state={state} slug={slug} />
        <div className="actions">
          <button type="submit" className="main" aria-disabled={state.step === 'doing' || undefined}>
            {confirm}
          </button>
          <button ref={cancel} type="button" onClick={() => dialog.current?.close()}>
            {messages.desk.cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}
