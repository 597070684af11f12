import { useRef, useState } from 'react';
import {
  type DeskVersion,
  EMPTY_CONTENT,
  readVersions,
  UPDATE_VERSIONS_PER_PAGE,
  withContentOf,
} from '../../lib/data/desk-updates.ts';
import { deskClock } from '../../lib/data/scheduling.ts';
import { formOf } from '../../lib/data/update-form.ts';
import { tablesOf } from '../../lib/domain/body/blocks.ts';
import { actionsOn, mayRun } from '../../lib/domain/permissions.ts';
import { clockOf } from '../../lib/domain/reader-coverage.ts';
import { type Clock, machineTime, timeRelativeTo } from '../../lib/domain/time.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { languageAttributes } from '../../lib/i18n/language.ts';
import { CloseButton, Panel, TaskNote } from '../desk/controls.tsx';
import { useReload } from '../desk/hooks.ts';
import { type DeskMessages, useMessages } from '../desk/messages.tsx';
import { makeTask } from '../desk/task.ts';
import { useShared } from '../shared/use-shared.ts';
import { VersionChange } from '../update/VersionChange.tsx';
import { updateLabel } from './actions.ts';
import { type RedactDesk, RedactForm } from './WithdrawPanel.tsx';

type VersionItemProps = {
  desk: RedactDesk;
  update: DeskUpdate;
  version: DeskVersion;
  /** The previous version, if it is loaded. */
  older: DeskVersion | undefined;
  /** Whether there is no previous version. */
  isFirst: boolean;
  clock: Clock;
  /** Opens an editor with this version's content; undefined without permission or content. */
  onUse: (() => void) | undefined;
  /** Called after the content was redacted. */
  onRedacted(version: DeskVersion, also: number[]): void;
};

/** One version in the history of an update. */
function VersionItem({ desk, update, version, older, isFirst, clock, onUse, onRedacted }: VersionItemProps) {
  const messages = useMessages();
  const [isRedacting, setRedacting] = useState(false);
  const element = useRef<HTMLLIElement>(null);
  const { desk: texts } = messages.corrections;
  const { kind, note, at, by, redacted, redactedBy, isPublic } = version;
  const languageProps = languageAttributes(clock.language, messages.language);
  const before = older?.shown ?? (isFirst ? EMPTY_CONTENT : null);
  const isOpen = update.state === 'withdrawn' || version.version !== update.version;
  /** Whether the server saved it, with cells that it read from an address. */
  const isReading =
    kind === 'revision' && !isFirst && tablesOf(version.shown?.body ?? []).some(({ csv }) => csv);
  /** Whether a public note remains after its content was redacted. */
  const hasNote = redacted !== null && note !== null && note !== redacted.reason && kind !== 'withdrawal';
  const close = () => {
    setRedacting(false);
    element.current?.focus();
  };
  const timeOf = (moment: string) => (
    <time dateTime={machineTime(moment)}>
      {timeRelativeTo(
        moment,
        update.published_at ?? update.created_at,
        deskClock(messages, { time_zone: clock.timeZone }),
      )}
    </time>
  );
  return (
    <li ref={element} tabIndex={-1}>
      <p className="step">
        <b>{texts.version(version.version)}</b> {kindOf(messages, version, older)} {timeOf(at)}{' '}
        {by ? texts.by(by) : isReading && texts.read}{' '}
        {kind !== 'withdrawal' && <span>{isPublic ? texts.seen : texts.unseen}</span>}
      </p>
      {note && note !== redacted?.reason && <p {...languageProps}>{note}</p>}
      {redacted && (
        <p className="note">
          <b>{messages.corrections.history.redacted}</b> {timeOf(redacted.at)}{' '}
          {redactedBy && texts.by(redactedBy)} <span {...languageProps}>{redacted.reason}</span>
        </p>
      )}
      {version.shown && !before && <p>{messages.corrections.history.incomparable}</p>}
      {version.shown && (
        <VersionChange
          before={before ?? EMPTY_CONTENT}
          after={version.shown}
          clock={clock}
          photo={(id) => update.photos.find((photo) => photo.id === id)?.alt}
        />
      )}
      {isRedacting ? (
        <RedactForm desk={desk} update={update} version={version} onDone={onRedacted} onClose={close} />
      ) : (
        (version.shown || hasNote) && (
          <p className="row-actions shown">
            {onUse && (
              <button type="button" onClick={onUse}>
                {texts.use} <span className="visually-hidden">{texts.version(version.version)}</span>
              </button>
            )}
            {mayRun(desk.person) && isOpen && (
              <button type="button" onClick={() => setRedacting(true)}>
                {texts.redact} <span className="visually-hidden">{texts.version(version.version)}</span>
              </button>
            )}
          </p>
        )
      )}
    </li>
  );
}

function kindOf(
  messages: DeskMessages,
  { kind, isPublic }: DeskVersion,
  older: DeskVersion | undefined,
): string {
  const { kinds } = messages.corrections.history;
  if (kind !== 'revision') return kinds[kind];
  if (!isPublic) return messages.corrections.desk.saved;
  return older?.isPublic ? kinds.revision : kinds.publication;
}

type HistoryPanelProps = { desk: RedactDesk; update: DeskUpdate; onClose: () => void };

/** All versions of an update, with author, time, kind and changes. */
export function HistoryPanel({ desk, update, onClose }: HistoryPanelProps) {
  const messages = useMessages();
  const coverage = useShared(desk.$coverage);
  const [versions, setVersions] = useState<DeskVersion[]>([]);
  const [hasOlder, setHasOlder] = useState(false);
  const [task] = useState(makeTask);
  const state = useShared(task.$state);
  const { desk: texts } = messages.corrections;
  const { id, version, seq } = update;

  // Refetches when the update changes.
  useReload(task, `${id} ${version} ${seq}`, async () => {
    const newest = await desk.backend.read((client) => readVersions(client, id));
    setVersions(newest);
    setHasOlder(newest.length === UPDATE_VERSIONS_PER_PAGE);
  });
  const showOlder = () =>
    task.run(async () => {
      const older = await desk.backend.read((client) => readVersions(client, id, versions.at(-1)?.version));
      setVersions([...versions, ...older]);
      setHasOlder(older.length === UPDATE_VERSIONS_PER_PAGE);
    });
  const editVersion = (chosen: DeskVersion) => {
    const form = formOf(messages, withContentOf(update, chosen), coverage.time_zone);
    desk.view.$open.set({ id, panel: 'edit', form });
  };
  const mayEdit = actionsOn(update, desk.person, null).includes('edit');
  return (
    <Panel onClose={onClose}>
      <div className="actions">
        <h3>{texts.title}</h3>
        <CloseButton about={`${texts.title}, ${updateLabel(messages, update)}`} onClose={onClose} />
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
                  return { ...each, shown: null, content: null, redacted: when, redactedBy };
                }),
              )
            }
          />
        ))}
      </ol>
      {hasOlder && (
        <button type="button" onClick={showOlder}>
          {texts.older}
        </button>
      )}
    </Panel>
  );
}
