import type { WritableAtom } from 'nanostores';
import { useRef, useState } from 'react';
import { makeWordPressDraft, type WordPressDrafts } from '../../lib/data/wordpress.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { TaskNote } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { useMessages } from '../desk/messages.tsx';
import { makeTask } from '../desk/task.ts';
import { useShared } from '../shared/use-shared.ts';
import { updateLabel } from './actions.ts';

/** Drafts that the page knows. Null for people who may not make any. */
export type DraftsStore = WritableAtom<WordPressDrafts | null>;

type Props = {
  desk: Pick<Desk, 'backend'>;
  update: DeskUpdate;
  $drafts: DraftsStore;
  slug: string;
};

/** Makes a WordPress draft of a published update, or links to the one that exists. */
export function WordPressDraft({ desk, update, $drafts, slug }: Props) {
  const messages = useMessages();
  const drafts = useShared($drafts);
  const container = useRef<HTMLDivElement>(null);
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  /** Result of the last press. */
  const [result, setResult] = useState('');
  const link = drafts?.links[update.id];
  if (!drafts || !(drafts.is_connected || link)) return null;
  const { wordpress } = messages.desk;

  const make = async () => {
    const made = await desk.backend.read((client) => makeWordPressDraft(client, update.id));
    $drafts.set({ ...drafts, links: { ...$drafts.get()?.links, [update.id]: made.link } });
    setResult(made.isNew ? wordpress.made(made.missingPhotos) : wordpress.exists);
    // The pressed button is gone.
    requestAnimationFrame(() => container.current?.querySelector('a')?.focus());
  };
  return (
    <>
      <div className="row-actions" ref={container}>
        {link ? (
          <a href={link} target="_blank" rel="noreferrer">
            {wordpress.open} {messages.desk.status.newTab}
          </a>
        ) : (
          <button
            type="button"
            aria-disabled={state.step === 'doing' || undefined}
            aria-label={messages.desk.about(wordpress.make, updateLabel(messages, update))}
            onClick={() => task.run(make)}
          >
            {wordpress.make}
          </button>
        )}
      </div>
      <p className="status" role="status">
        {result}
      </p>
      <TaskNote state={state} slug={slug} />
    </>
  );
}
