import { useState } from 'react';
import { clockOf } from '../../../lib/coverage/coverage.ts';
import { formOf } from '../../../lib/desk/form.ts';
import { actionsOn } from '../../../lib/desk/rights.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { type DeskVersion, VERSIONS, withWordsOf } from '../../../lib/desk/versions.ts';
import { corrections } from '../../../lib/text/corrections.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { CloseButton } from './CloseButton.tsx';
import { nameOfUpdate } from './naming.ts';
import { Panel } from './Panel.tsx';
import { TaskNote } from './TaskNote.tsx';
import { useFresh } from './useFresh.ts';
import { useShared } from './useShared.ts';
import { VersionItem } from './VersionItem.tsx';

type Props = { desk: Desk; update: DeskUpdate; onClose: () => void };

/** All versions of an update, with author, time, kind and changes. */
export function HistoryPanel({ desk, update, onClose }: Props) {
  const coverage = useShared(desk.$coverage);
  const [versions, setVersions] = useState<DeskVersion[]>([]);
  const [hasOlder, setHasOlder] = useState(false);
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const messages = corrections.desk;
  const { id, version, seq } = update;

  // Refetches when the update changes.
  useFresh(task, `${id} ${version} ${seq}`, async () => {
    const newest = await desk.versions(id);
    setVersions(newest);
    setHasOlder(newest.length === VERSIONS);
  });
  const showOlder = () =>
    task.run(async () => {
      const older = await desk.versions(id, versions.at(-1)?.version);
      setVersions([...versions, ...older]);
      setHasOlder(older.length === VERSIONS);
    });
  const editVersion = (chosen: DeskVersion) => {
    const form = formOf(withWordsOf(update, chosen), coverage.time_zone);
    desk.$open.set({ id, panel: 'edit', words: form });
  };
  const mayEdit = actionsOn(update, desk.person, null).includes('edit');
  return (
    <Panel onClose={onClose}>
      <div className="actions">
        <h3>{messages.title}</h3>
        <CloseButton about={`${messages.title}, ${nameOfUpdate(update)}`} onClose={onClose} />
      </div>
      <TaskNote state={state} slug={coverage.slug} />
      <ol className="history">
        {versions.map((item, index) => (
          <VersionItem
            key={item.version}
            desk={desk}
            update={update}
            version={item}
            older={versions[index + 1]}
            isFirst={!hasOlder && index === versions.length - 1}
            clock={clockOf(coverage)}
            onUse={mayEdit && item.version !== version && item.content ? () => editVersion(item) : undefined}
            onRedacted={(redacted, also) =>
              setVersions(
                versions.map((each) => {
                  if (each === item) return redacted;
                  const { redacted: when, redactedBy } = redacted;
                  if (!also.includes(each.version)) return each;
                  return { ...each, words: null, content: null, redacted: when, redactedBy };
                }),
              )
            }
          />
        ))}
      </ol>
      {hasOlder && (
        <button type="button" onClick={showOlder}>
          {messages.older}
        </button>
      )}
    </Panel>
  );
}
