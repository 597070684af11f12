import { desk as words } from '../../../lib/text/desk.ts';
import type { TaskState } from '../../stores/task.ts';
import { TaskNote } from './TaskNote.tsx';

type Props = {
  state: TaskState;
  slug: string;
  /** What the press is called. */
  confirm: string;
  /** What the press does; without it, it sends the form around it. */
  onConfirm?: () => void;
  onClose: () => void;
};

/** The foot of a panel: what became of the press, the press, and the way out. */
export function PanelEnd({ state, slug, confirm, onConfirm, onClose }: Props) {
  return (
    <>
      <TaskNote state={state} slug={slug} />
      <div className="actions">
        <button type={onConfirm ? 'button' : 'submit'} className="main" onClick={onConfirm}>
          {confirm}
        </button>
        <button type="button" className="quiet" onClick={onClose}>
          {words.close}
        </button>
      </div>
    </>
  );
}
