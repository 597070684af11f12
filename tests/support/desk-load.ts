import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { DeskBackend } from '../../src/islands/desk/backend.ts';
import { joinDeskChannel } from '../../src/islands/desk/channel.ts';
import { type Desk, makeDesk } from '../../src/islands/desk/desk.ts';
import { readCoverage, readUpdates } from '../../src/lib/data/desk.ts';
import type { DeskUpdate } from '../../src/lib/domain/updates.ts';
import { english } from '../../src/lib/i18n/en/all.ts';
import { call, type Person, paragraph, type SavedUpdate } from './newsroom.ts';
import { until } from './until.ts';

/** Result of a load test of one desk, on which several people work with supabase-js while each has an open desk. */
export type DeskLoadResult = {
  /** Number of commands by name. */
  commandCounts: Record<string, number>;
  /** Milliseconds from each publish command until every desk listed the update. */
  delays: number[];
  /** Descriptions of errors. Empty when everything is correct. */
  errors: string[];
  /** Milliseconds from the end of the last command until all lists were equal. */
  settleMs: number;
};

/** A person who sends commands. */
export type DeskWorker = Pick<Person, 'id' | 'role' | 'client'>;

export type DeskLoad = {
  /** Client that passes every policy. It reads the stored rows. */
  service: SupabaseClient;
  coverage: { id: string };
  people: DeskWorker[];
  /** How long each person sends commands, and the mean pause between two of them. In milliseconds. */
  durationMs: number;
  pauseMs: number;
};

/** Number of rows that each desk shows at least. */
const SHOWN = 60;

/** Lets people work for a while and checks that all desks end with the same list. */
export async function runDeskLoad({
  service,
  coverage,
  people,
  durationMs,
  pauseMs,
}: DeskLoad): Promise<DeskLoadResult> {
  const restoreGlobals = pretendPage();
  const desks = await Promise.all(people.map((person) => openDesk(coverage.id, person)));
  const errors: string[] = [];
  const arrivals = new Arrivals(desks, errors);
  try {
    await Promise.all(
      desks.map(({ desk }) =>
        until('Each desk joins its channel', () => desk.sync.$channelState.get() === 'joined'),
      ),
    );
    const expected = new ExpectedState(coverage.id, arrivals);
    const end = Date.now() + durationMs;
    await Promise.all(people.map((person) => work(person, expected, end, pauseMs)));
    const stopped = Date.now();
    const [first] = people;
    const stored = first ? await readUpdates(first.client, coverage.id, desksWindow(desks)) : [];
    await until('The lists of all desks become the same', () =>
      desks.every(({ desk }) => isSame(desk.updates.$rows.get(), stored)),
    ).catch((error: Error) => errors.push(error.message));
    const settleMs = Date.now() - stopped;
    return {
      commandCounts: expected.commandCounts,
      delays: arrivals.delays(),
      errors: [...errors, ...(await findErrors(service, coverage.id, expected))],
      settleMs,
    };
  } finally {
    for (const { stop, client } of desks) {
      stop();
      await client.removeAllChannels();
    }
    restoreGlobals();
  }
}

type OpenDesk = { desk: Desk; client: SupabaseClient; stop: () => void };

async function openDesk(coverageId: string, { client, ...who }: DeskWorker): Promise<OpenDesk> {
  const coverage = await readCoverage(client, 'id', coverageId);
  if (!coverage) throw new Error('The desk reads its coverage.');
  const nothing = () => Promise.reject(new Error('People here press by their clients.'));
  const backend: DeskBackend = {
    tokens: { get: nothing, forget: () => {} },
    read: (query) => query(client),
    execute: nothing,
    uploadTarget: () => ({ endpoint: '', bucket: '', headers: nothing }),
    send: nothing,
    refetched: () => {},
    joinDesk: (id, handlers) => joinDeskChannel(client, id, who.id, handlers),
    join: (open) => open(client, who.id),
  };
  const person = { ...who, handle: who.role, display_name: who.role, member: false };
  const desk = makeDesk(
    english,
    { coverage, person, backend: { publicUrl: '/', publishableKey: '' }, language: 'en' },
    backend,
  );
  const stop = desk.watch();
  while (desk.updates.$window.get().most < SHOWN) desk.updates.showOlder();
  return { desk, client, stop };
}

const desksWindow = ([one]: OpenDesk[]) =>
  one?.desk.updates.$window.get() ?? { filter: 'work', words: '', most: 0 };

/** Measures when updates arrive in each list, and checks that no list shows an update twice. */
class Arrivals {
  /** By id: the time of the command, the number of desks that list the update, and the time of the last arrival. */
  private readonly awaited = new Map<string, { pressed: number; seen: number; last: number }>();
  private readonly desks: number;

  constructor(desks: OpenDesk[], errors: string[]) {
    this.desks = desks.length;
    for (const { desk } of desks) {
      const seen = new Set<string>();
      desk.updates.$rows.listen((rows) => {
        if (new Set(rows.map(({ id }) => id)).size < rows.length)
          errors.push('a list showed an update twice');
        for (const row of rows) if (row.number !== null) this.see(row.id, seen);
      });
    }
  }

  press(id: string): void {
    this.awaited.set(id, { pressed: performance.now(), seen: 0, last: 0 });
  }

  private see(id: string, seen: Set<string>): void {
    const update = this.awaited.get(id);
    if (!update || seen.has(id)) return;
    seen.add(id);
    update.seen += 1;
    update.last = performance.now();
  }

  /** Delays of the updates that arrived in every list. */
  delays(): number[] {
    const all = [...this.awaited.values()].filter(({ seen }) => seen === this.desks);
    return all.map(({ pressed, last }) => last - pressed);
  }
}

/** Results of the commands, for comparison with the stored rows. */
class ExpectedState {
  readonly commandCounts: Record<string, number> = {};
  readonly published = new Map<string, number>();
  readonly withdrawn = new Set<string>();
  readonly submitted: SavedUpdate[] = [];
  readonly coverageId: string;
  readonly arrivals: Arrivals;

  constructor(coverageId: string, arrivals: Arrivals) {
    this.coverageId = coverageId;
    this.arrivals = arrivals;
  }

  count(act: string): void {
    this.commandCounts[act] = (this.commandCounts[act] ?? 0) + 1;
  }
}

/** Sends the commands of one person: mostly new updates, and changes of earlier ones. */
async function work(
  { client, role }: DeskWorker,
  expected: ExpectedState,
  end: number,
  pauseMs: number,
): Promise<void> {
  const { coverageId: coverage_id } = expected;
  const mine: SavedUpdate[] = [];
  let n = 0;
  const says = () => ({ body: [paragraph(`${role} says ${++n}.`)] });
  const act = async <T>(name: string, args: Record<string, unknown>): Promise<T> => {
    expected.count(name);
    const idempotency_key = randomUUID();
    const done = call<T>(client, name, { idempotency_key, ...args });
    // Sends the command again, as after a lost response.
    if (n % 10 === 3) await call<T>(client, name, { idempotency_key, ...args });
    return done;
  };
  const publish = async () => {
    const update_id = randomUUID();
    expected.arrivals.press(update_id);
    const saved = await act<SavedUpdate>('publish_update', { coverage_id, update_id, content: says() });
    expected.published.set(update_id, saved.number);
    mine.push(saved);
  };
  const actions: (() => Promise<unknown>)[] = [
    publish,
    async () => {
      const draft = { coverage_id, update_id: randomUUID() };
      const { version } = await act<SavedUpdate>('save_update', { ...draft, content: says() });
      await act('save_update', { ...draft, content: says(), version });
      expected.submitted.push(
        await act<SavedUpdate>('submit_update', { update_id: draft.update_id, version: version + 1 }),
      );
    },
    publish,
    async () => {
      const last = mine.at(-1);
      if (!last) return;
      const content = says();
      mine[mine.length - 1] = await act<SavedUpdate>('revise_update', {
        update_id: last.id,
        version: last.version,
        content,
      });
    },
    publish,
    async () => {
      if (role !== 'editor') return publish();
      const waits = expected.submitted.shift();
      if (!waits) return publish();
      expected.arrivals.press(waits.id);
      const { id: update_id, version } = waits;
      const saved = await act<SavedUpdate>('publish_update', {
        coverage_id,
        update_id,
        version,
        content: says(),
      });
      expected.published.set(saved.id, saved.number);
      await act('pin_update', { coverage_id, update_id });
    },
    publish,
    async () => {
      const first = mine.shift();
      if (!first || mine.length === 0) return;
      await act('withdraw_update', { update_id: first.id, reason: 'It was not so.' });
      expected.withdrawn.add(first.id);
    },
  ];
  // Each person starts with a random action.
  for (let turn = Math.floor(Math.random() * actions.length); Date.now() < end; turn++) {
    await actions[turn % actions.length]?.();
    await wait(pauseMs * (0.5 + Math.random()));
  }
}

/** Compares the stored rows with the results of the commands. @returns descriptions of the differences */
async function findErrors(
  service: SupabaseClient,
  coverageId: string,
  expected: ExpectedState,
): Promise<string[]> {
  const errors: string[] = [];
  const updates = await all<{ id: string; number: number; state: string }>(
    service,
    'updates',
    coverageId,
    'number',
  );
  const changes = await all<{ seq: number }>(service, 'coverage_changes', coverageId, 'seq');
  const { data } = await service.from('coverages').select('seq, update_count').eq('id', coverageId).single();
  const numbers = new Map(updates.map(({ id, number }) => [id, number]));
  if (updates.some(({ number }, index) => number !== index + 1)) errors.push('numbers have a gap');
  if (changes.some(({ seq }, index) => seq !== index + 1)) errors.push('seqs have a gap');
  if (data?.update_count !== updates.length || data?.seq !== changes.length)
    errors.push('the counts are wrong');
  if (updates.length !== expected.published.size) errors.push('not as many updates as were published');
  for (const [id, number] of expected.published) {
    if (numbers.get(id) !== number) errors.push(`number ${number} is not what was answered`);
  }
  const gone = updates.filter(({ state }) => state === 'withdrawn').map(({ id }) => id);
  if (gone.length !== expected.withdrawn.size) errors.push('not as many were withdrawn as were pressed');
  return errors;
}

/** Reads all numbered rows of a coverage in order, a thousand per request. */
async function all<Row>(
  service: SupabaseClient,
  table: string,
  coverageId: string,
  by: string,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const { data } = await service
      .from(table)
      .select('*')
      .eq('coverage_id', coverageId)
      .gt(by, rows.length)
      .order(by)
      .limit(1000)
      .throwOnError();
    rows.push(...(data as Row[]));
    if (data.length < 1000) return rows;
  }
}

function isSame(a: DeskUpdate[], b: DeskUpdate[]): boolean {
  const summaries = (rows: DeskUpdate[]) =>
    rows.map(({ id, version, state, seq, number }) => [id, version, state, seq, number]);
  return JSON.stringify(summaries(a)) === JSON.stringify(summaries(b));
}

/**
 * Defines the globals that a desk uses to see whether its page is visible. @returns a function that removes them
 */
function pretendPage(): () => void {
  const page = { visibilityState: 'visible', documentElement: { lang: 'en', dataset: {} } };
  const globals = { document: Object.assign(new EventTarget(), page), window: new EventTarget() };
  // Many desks listen to these targets.
  setMaxListeners(0, globals.document, globals.window);
  Object.assign(globalThis, globals);
  return () => {
    for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name);
  };
}
