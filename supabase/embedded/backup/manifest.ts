import { BackupError } from './backup-error.ts';

/** Of the archive's own layout, not of the schema: goes up when an older program could not read it. */
export const FORMAT = 1;

/** What a backup says of itself. */
export type Manifest = {
  format: typeof FORMAT;
  /** Version of the program that wrote it. */
  program: string;
  /** ISO 8601. */
  madeAt: string;
  engine: { kind: string; version: string };
  /** Versions of the migrations that the data has had, in order. */
  migrations: string[];
  tables: TablePart[];
  sequences: SequenceValue[];
};

export type TablePart = {
  /** With its schema: `public.updates`. */
  table: string;
  /** In the order of the part's columns; generated ones are not among them. */
  columns: string[];
  rows: number;
};

export type SequenceValue = {
  /** With its schema. */
  sequence: string;
  /** Text, because it may be larger than a number of JavaScript. */
  value: string;
  /** False: the value itself is the next one. */
  used: boolean;
};

/** @throws BackupError when it is none of ours, or a newer program's */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text);
  if (!isRecord(value) || typeof value.format !== 'number') throw notOurs();
  if (value.format > FORMAT) {
    throw new BackupError(
      `This backup was made by a newer program (${String(value.program)}): restore it with that version, or a later one.`,
    );
  }
  if (!isManifest(value)) throw notOurs();
  return value;
}

export const notOurs = () => new BackupError('This file is not a backup of Stoppress.');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notOurs();
  }
}

type Unknown<T> = { [Key in keyof T]: unknown };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isText = (value: unknown) => typeof value === 'string';
const isList = (value: unknown, each: (one: unknown) => boolean) => Array.isArray(value) && value.every(each);

function isManifest(value: object): value is Manifest {
  const { format, program, madeAt, engine, migrations, tables, sequences } = value as Unknown<Manifest>;
  return (
    format === FORMAT &&
    isText(program) &&
    isText(madeAt) &&
    isRecord(engine) &&
    isText(engine.kind) &&
    isText(engine.version) &&
    isList(migrations, isText) &&
    isList(tables, isTablePart) &&
    isList(sequences, isSequenceValue)
  );
}

function isTablePart(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { table, columns, rows } = value as Unknown<TablePart>;
  return isText(table) && isList(columns, isText) && Number.isSafeInteger(rows);
}

function isSequenceValue(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { sequence, value: last, used } = value as Unknown<SequenceValue>;
  return isText(sequence) && isText(last) && /^-?\d+$/.test(String(last)) && typeof used === 'boolean';
}
