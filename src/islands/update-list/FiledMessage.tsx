import { useState } from 'react';
import { type FiledText, readFiledTexts, readFirstVersion } from '../../lib/data/desk-updates.ts';
import { deskClock } from '../../lib/data/scheduling.ts';
import { clockOf } from '../../lib/domain/reader-coverage.ts';
import { machineTime, shortTime } from '../../lib/domain/time.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import type { VersionContent } from '../../lib/domain/versions.ts';
import { TaskNote } from '../desk/controls.tsx';
import type { Desk } from '../desk/desk.ts';
import { useReload } from '../desk/hooks.ts';
import { useMessages } from '../desk/messages.tsx';
import { makeTask } from '../desk/task.ts';
import { useShared } from '../shared/use-shared.ts';
import { VersionChange } from '../update/VersionChange.tsx';

type Props = { desk: Pick<Desk, 'backend' | '$coverage'>; update: DeskUpdate };

type Loaded = { texts: FiledText[]; first: VersionContent | null; current: VersionContent | null };

/** The message from which an update was filed, and what has changed since. Reads them when it opens. */
export function FiledMessage({ desk, update }: Props) {
  const messages = useMessages();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="filed-message" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{messages.deskList.filed.original}</summary>
      {isOpen && <Original desk={desk} update={update} />}
    </details>
  );
}

function Original({ desk, update }: Props) {
  const messages = useMessages();
  const coverage = useShared(desk.$coverage);
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const [loaded, setLoaded] = useState<Loaded>();
  const { filed } = messages.deskList;
  useReload(task, `${update.id} ${update.version}`, async () => {
    const [texts, versions] = await Promise.all([
      desk.backend.read((client) => readFiledTexts(client, update.id)),
      desk.backend.read((client) => readFirstVersion(client, update.id)),
    ]);
    setLoaded({ texts, ...versions });
  });
  const clock = deskClock(messages, coverage);
  const { first, current } = loaded ?? {};
  return (
    <>
      <TaskNote state={state} slug={coverage.slug} />
      {loaded?.texts.length === 0 && <p className="help">{filed.gone}</p>}
      {loaded?.texts.map(({ text, written_at }) => (
        <blockquote key={written_at}>
          <p className="help">
            <time dateTime={machineTime(written_at)}>{shortTime(written_at, update.created_at, clock)}</time>
          </p>
          <p dir="auto">{text}</p>
        </blockquote>
      ))}
      {first && current && (
        <>
          <h4>{filed.changes}</h4>
          <VersionChange
            before={first}
            after={current}
            clock={clockOf(coverage)}
            photo={(id) => update.photos.find((photo) => photo.id === id)?.alt}
          />
        </>
      )}
    </>
  );
}
