import { desk as messages } from '../../../lib/text/desk.ts';
import type { TaskState } from '../../stores/task.ts';
import { RefusalNote } from './RefusalNote.tsx';

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
