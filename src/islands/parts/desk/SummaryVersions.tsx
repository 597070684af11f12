import { useState } from 'react';
import { deskClock } from '../../../lib/desk/clock.ts';
import { type SummaryVersion, VERSIONS } from '../../../lib/desk/summary.ts';
import { running } from '../../../lib/text/running.ts';
import { timeBeside } from '../../../lib/time/days.ts';
import type { Desk } from '../../stores/desk.ts';
import { makeTask } from '../../stores/task.ts';
import { Difference } from './Difference.tsx';
import { TaskNote } from './TaskNote.tsx';
import { useFresh } from './useFresh.ts';
import { useShared } from './useShared.ts';

type Props = {
  desk: Desk;
  /** Puts a version into the form. Without it the versions are read-only. */
  onRestore?: (version: SummaryVersion) => void;
};

/** List of all versions of the summary, with author, time and changes. */
export function SummaryVersions({ desk, onRestore }: Props) {
  const coverage = useShared(desk.$coverage);
  const [isOpen, setIsOpen] = useState(false);
  const [shown, setShown] = useState<SummaryVersion[]>();
  const [hasOlder, setHasOlder] = useState(false);
  const [task] = useState(makeTask);
  const progress = useShared(task.$state);
  const messages = running.versions;
  const clock = deskClock(coverage);

  const load = async (before?: number) => {
    const more = await desk.summaryVersions(before);
    setHasOlder(more.length === VERSIONS);
    setShown(before === undefined ? more : [...(shown ?? []), ...more]);
  };
  // Refetches when a new version is saved while the list is open.
  useFresh(task, isOpen ? String(coverage.version) : null, load);
  const newest = shown?.[0]?.version;
  return (
    <details className="versions" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{messages.title}</summary>
      <TaskNote state={progress} slug={coverage.slug} />
      {shown?.length === 0 && <p className="help">{messages.none}</p>}
      <ol>
        {shown?.map((item, index) => (
          <li key={item.version}>
            <p className="row-line">
              <b>{messages.version(item.version)}</b>
              <time dateTime={item.at}>{timeBeside(item.at, new Date(), clock)}</time>
              {item.by && <span>{messages.by(item.by)}</span>}
              {item.version === newest && <span>{messages.now}</span>}
            </p>
            {item.summary.length === 0 && <p className="help">{messages.empty}</p>}
            <Difference
              before={shown[index + 1]?.summary ?? []}
              after={item.summary}
              language={coverage.language}
            />
            {onRestore && item.version !== newest && item.summary.length > 0 && (
              <button type="button" className="quiet" onClick={() => onRestore(item)}>
                {messages.bringBack} <span className="visually-hidden">{messages.version(item.version)}</span>
              </button>
            )}
          </li>
        ))}
      </ol>
      {hasOlder && (
        <button type="button" onClick={() => task.run(() => load(shown?.at(-1)?.version))}>
          {messages.older}
        </button>
      )}
    </details>
  );
}
