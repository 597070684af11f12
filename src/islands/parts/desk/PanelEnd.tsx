import type { TaskState } from '../../stores/task.ts';
import { CloseButton } from './CloseButton.tsx';
import { TaskNote } from './TaskNote.tsx';

type Props = {
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
export function PanelEnd({ state, slug, confirm, onConfirm, onClose, about }: Props) {
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
