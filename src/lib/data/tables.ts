import { isErrorCode, type Refusal, refusal, refusalWithDetails } from '../i18n/refusals.ts';
import { type BackendClient, dataOf, functionData } from './result.ts';

/**
 * Reads the cells of the CSV file at an address, by row. All rows have the same number of cells. A cell is plain text
 * and may be empty.
 * @throws Refused
 */
export async function readCsvCells(backend: BackendClient, url: string): Promise<string[][]> {
  const call = backend.functions.invoke('unfurl-link', { body: { url, isTable: true } });
  return (await functionData(call)) as string[][];
}

/** The last reading of an address: when it succeeded, or why it failed. Neither before the first one. */
export type TableReading = { csv: string; readAt: string | null; problem: Refusal | null };

/**
 * Returns the readings of the addresses that the tables of a published update are read from.
 * @throws Refused
 */
export async function listTableReadings(backend: BackendClient, update: string): Promise<TableReading[]> {
  const rows = (await dataOf(backend.rpc('list_table_readings', { update_id: update }))) as {
    csv: string;
    read_at: string | null;
    error: Record<string, unknown> | null;
  }[];
  return Promise.all(
    rows.map(async ({ csv, read_at, error }) => ({
      csv,
      readAt: read_at,
      problem: error && (await refusalOf(error)),
    })),
  );
}

const refusalOf = ({ code, ...details }: Record<string, unknown>): Promise<Refusal> | Refusal =>
  isErrorCode(code) ? refusalWithDetails(code, details) : refusal('unavailable');
