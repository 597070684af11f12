import { log } from '../data/log.ts';
import { dataOf, functionData } from '../data/result.ts';
import { serviceRealtimeClient } from '../data/site-channel.ts';
import { plainRows } from '../domain/body/blocks.ts';
import { SERVER } from '../i18n/cli.ts';
import { type Refusal, Refused, refusal } from '../i18n/refusals.ts';

/** Calls of the reader to the backend. Readings are known by their tickets. */
export type TableReadingClient = {
  /** Claims readings that are due. */
  claim(): Promise<string[]>;
  /** Reads the cells of a claimed reading. @throws Refused */
  read(ticket: string): Promise<string[][]>;
  /** Saves the cells or the error of a claimed reading. */
  save(ticket: string, result: { cells: string[][] } | { error: Refusal }): Promise<void>;
};

/** Interval at which due readings are claimed. The database makes each address due once a minute. In milliseconds. */
const CHECK_MS = 10_000;

/**
 * Reads the tables of live coverages from their CSV addresses while the server runs. Several servers share the
 * addresses.
 * @param every milliseconds between two claims
 * @returns stops it. A reading in progress is lost, and due again within a minute.
 */
export function startTableReader(client: TableReadingClient, every = CHECK_MS): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let stopped = false;
  let hasFailed = false;

  async function round(): Promise<void> {
    try {
      let tickets: string[];
      do {
        tickets = await client.claim();
        await Promise.all(tickets.map(readOne));
      } while (tickets.length > 0 && !stopped);
      hasFailed = false;
    } catch (error) {
      // Only the first failure in a row is logged.
      if (!hasFailed && !stopped) {
        log.warn(SERVER.tablesFailed(error instanceof Error ? error.message : String(error)));
      }
      hasFailed = true;
    }
    if (!stopped) timer = setTimeout(round, every);
  }

  async function readOne(ticket: string): Promise<void> {
    const result = await client.read(ticket).then(
      (cells) => ({ cells }),
      (error: unknown) => ({ error: error instanceof Refused ? error.refusal : refusal('unavailable') }),
    );
    if (!stopped) await client.save(ticket, result);
  }

  timer = setTimeout(round, every);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** The function gives up on an address after 5 s, and takes a moment to start. In milliseconds. */
const CALL_TIMEOUT_MS = 20_000;

type Backend = { url: string; publishableKey: string; secretKey: string };

/** The reader's connection to a backend, embedded or hosted. */
export function createTableReadingClient({ url, publishableKey, secretKey }: Backend): TableReadingClient {
  const client = serviceRealtimeClient(url, secretKey, CALL_TIMEOUT_MS);
  // The function that connects to other sites has no secret key, so it cannot check ours.
  const headers = { apikey: publishableKey, Authorization: `Bearer ${publishableKey}` };
  return {
    claim: async () => (await dataOf(client.rpc('claim_table_readings'))) as string[],
    async read(ticket) {
      const call = client.functions.invoke('unfurl-link', { body: { ticket }, headers });
      return (await functionData(call)) as string[][];
    },
    async save(ticket, result) {
      const part =
        'cells' in result
          ? { rows: plainRows(result.cells) }
          : { error: { ...(result.error.details as Record<string, string>), code: result.error.code } };
      await dataOf(client.rpc('save_table_reading', { ticket, ...part }));
    },
  };
}
