import { useRef, useState } from 'react';
import { deskClock } from '../../../lib/desk/clock.ts';
import { mayRun } from '../../../lib/desk/rights.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { type DeskVersion, NO_WORDS } from '../../../lib/desk/versions.ts';
import { corrections } from '../../../lib/text/corrections.ts';
import { tongue } from '../../../lib/text/direction.ts';
import { currentLanguage } from '../../../lib/text/language.ts';
import { type Clock, machineTime } from '../../../lib/time/clock.ts';
import { timeBeside } from '../../../lib/time/days.ts';
import type { Desk } from '../../stores/desk.ts';
import { VersionChange } from '../VersionChange.tsx';
import { RedactForm } from './RedactForm.tsx';

type Props = {
  desk: Desk;
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
export function VersionItem({ desk, update, version, older, isFirst, clock, onUse, onRedacted }: Props) {
  const [isRedacting, setRedacting] = useState(false);
  const element = useRef<HTMLLIElement>(null);
  const messages = corrections.desk;
  const { kind, note, at, by, redacted, redactedBy, isPublic } = version;
  const languageProps = tongue(clock.language, currentLanguage());
  const before = older?.words ?? (isFirst ? NO_WORDS : null);
  const isOpen = update.state === 'withdrawn' || version.version !== update.version;
  /** Whether a public note remains after its content was redacted. */
  const hasNote = redacted !== null && note !== null && note !== redacted.reason && kind !== 'withdrawal';
  const close = () => {
    setRedacting(false);
    element.current?.focus();
  };
  const timeOf = (moment: string) => (
    <time dateTime={machineTime(moment)}>
      {timeBeside(moment, update.published_at ?? update.filed_at, deskClock({ time_zone: clock.timeZone }))}
    </time>
  );
  return (
    <li ref={element} tabIndex={-1}>
      <p className="step">
        <b>{messages.version(version.version)}</b> {kindOf(version, older)} {timeOf(at)}{' '}
        {by && messages.by(by)}{' '}
        {kind !== 'withdrawal' && <span>{isPublic ? messages.seen : messages.unseen}</span>}
      </p>
      {note && note !== redacted?.reason && <p {...languageProps}>{note}</p>}
      {redacted && (
        <p className="note">
          <b>{corrections.history.redacted}</b> {timeOf(redacted.at)} {redactedBy && messages.by(redactedBy)}{' '}
          <span {...languageProps}>{redacted.reason}</span>
        </p>
      )}
      {version.words && !before && <p>{corrections.history.incomparable}</p>}
      {version.words && (
        <VersionChange
          before={before ?? NO_WORDS}
          after={version.words}
          clock={clock}
          photo={(id) => update.photos.find((photo) => photo.id === id)?.alt}
        />
      )}
      {isRedacting ? (
        <RedactForm desk={desk} update={update} version={version} onDone={onRedacted} onClose={close} />
      ) : (
        (version.words || hasNote) && (
          <p className="row-actions shown">
            {onUse && (
              <button type="button" onClick={onUse}>
                {messages.use} <span className="visually-hidden">{messages.version(version.version)}</span>
              </button>
            )}
            {mayRun(desk.person) && isOpen && (
              <button type="button" onClick={() => setRedacting(true)}>
                {messages.redact} <span className="visually-hidden">{messages.version(version.version)}</span>
              </button>
            )}
          </p>
        )
      )}
    </li>
  );
}

function kindOf({ kind, isPublic }: DeskVersion, older: DeskVersion | undefined): string {
  const { kinds } = corrections.history;
  if (kind !== 'revision') return kinds[kind];
  if (!isPublic) return corrections.desk.saved;
  return older?.isPublic ? kinds.revision : kinds.publication;
}
