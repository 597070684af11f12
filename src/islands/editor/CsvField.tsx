import { useEffect, useRef, useState } from 'react';
import { listTableReadings, readCsvCells, type TableReading } from '../../lib/data/unfurl.ts';
import { normalizeCsvUrl } from '../../lib/domain/body/blocks.ts';
import { dayAndTime } from '../../lib/domain/time.ts';
import type { DeskUpdate } from '../../lib/domain/updates.ts';
import { sentenceOf } from '../../lib/i18n/refusals.ts';
import type { Desk } from '../desk/desk.ts';
import { useMessages } from '../desk/messages.tsx';
import { refusalOf } from '../desk/task.ts';
import { Field } from '../shared/Field.tsx';

type DeskBackend = Pick<Desk, 'backend'>;

/** Time after which the results of the readings are read again, in milliseconds. */
const REFRESH_MS = 60_000;

/**
 * Returns the last readings of a published update's tables, and refreshes them. Empty while they are not known.
 * @param update undefined for none
 */
export function useTableReadings({ backend }: DeskBackend, update: DeskUpdate | undefined): TableReading[] {
  const [readings, setReadings] = useState<TableReading[]>([]);
  const id = update?.id;
  useEffect(() => {
    if (id === undefined) return;
    let isCurrent = true;
    const load = () =>
      backend
        .read((client) => listTableReadings(client, id))
        .then((list) => isCurrent && setReadings(list))
        .catch(() => undefined);
    void load();
    const timer = setInterval(load, REFRESH_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [backend, id]);
  return readings;
}

type Props = {
  desk: DeskBackend;
  isReadOnly: boolean;
  timeZone: string;
  /** The address as typed. */
  address: string;
  /** The last reading of the address by the server. */
  reading: TableReading | undefined;
  type(address: string): void;
  /** Fills the table with these cells. */
  fill(cells: string[][]): void;
};

/** State of a reading that this person started. */
type Status =
  | { step: 'idle' | 'reading' }
  | { step: 'read'; rows: number }
  | { step: 'refused'; sentence: string };

/** The CSV address of a table, a button that reads it now, and the result of the last reading. */
export function CsvField({ desk, isReadOnly, timeZone, address, reading, type, fill }: Props) {
  const messages = useMessages();
  const texts = messages.composer.tables.csv;
  const [status, setStatus] = useState<Status>({ step: 'idle' });
  /** Current properties, because the text may have changed when the response arrives. */
  const latest = useRef<{ address: string; fill: Props['fill'] } | null>(null);
  useEffect(() => {
    latest.current = { address, fill };
    return () => {
      latest.current = null;
    };
  }, [address, fill]);

  const read = async () => {
    if (isReadOnly || status.step === 'reading') return;
    const url = normalizeCsvUrl(address);
    if (!url) return setStatus({ step: 'refused', sentence: texts.notAnAddress });
    setStatus({ step: 'reading' });
    const cells = await desk.backend.read((client) => readCsvCells(client, url)).catch(refusalOf);
    if (latest.current?.address !== address) return setStatus({ step: 'idle' });
    if (!Array.isArray(cells)) return setStatus({ step: 'refused', sentence: sentenceOf(cells, messages) });
    latest.current.fill(cells);
    setStatus({ step: 'read', rows: cells.length - 1 });
  };
  const problem = reading?.problem && texts.failed(sentenceOf(reading.problem, messages));
  const clock = { timeZone, language: messages.language };
  const result = {
    idle: reading?.readAt ? texts.lastRead(dayAndTime(reading.readAt, clock)) : '',
    reading: texts.reading,
    read: status.step === 'read' ? texts.read(status.rows) : '',
    refused: '',
  }[status.step];
  return (
    <>
      <Field
        label={texts.label}
        help={texts.help}
        problem={status.step === 'refused' ? status.sentence : (problem ?? undefined)}
      >
        {(control) => (
          <input
            {...control}
            inputMode="url"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            dir="ltr"
            readOnly={isReadOnly}
            value={address}
            onChange={({ target: { value } }) => {
              setStatus({ step: 'idle' });
              type(value.trim());
            }}
          />
        )}
      </Field>
      <p className="actions">
        <button
          type="button"
          aria-disabled={isReadOnly || status.step === 'reading' || undefined}
          aria-label={`${texts.label}: ${texts.readNow}`}
          onClick={read}
        >
          {texts.readNow}
        </button>
      </p>
      <p className="status" role="status">
        {result}
      </p>
    </>
  );
}
