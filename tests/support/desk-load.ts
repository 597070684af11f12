import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { DeskBackend } from '../../src/islands/desk/backend.ts';
import { joinDeskChannel } from '../../src/islands/desk/channel.ts';
import { type Desk, makeDesk } from '../../src/islands/desk/desk.ts';
import { readCoverage, readUpdates } from '../../src/lib/data/desk.ts';
import type { DeskUpdate } from '../../src/lib/domain/updates.ts';
import { call, type Person, paragraph, type Saved } from './newsroom.ts';

/** People at one desk who all work at once: each presses by supabase-js and has a desk that listens. */
export type DeskLoadResult = {
  /** What people have done, by its name. */
  commandCounts: Record<string, number>;
  /** Milliseconds from the press of each published update to when every desk had it in its list. */
  delays: number[];
  /** Everything that is not as it must be, in sentences; none. */
  errors: string[];
  /** Milliseconds from the end of the last press until all lists were the same. */
  settleMs: number;
};

/** Somebody who works. */
export type DeskWorker = Pick<Person, 'id' | 'role' | 'client'>;

export type DeskLoad = {
  /** Past every policy: for looking at what was kept. */
  service: SupabaseClient;
  coverage: { id: string };
  people: DeskWorker[];
  /** How long they press, and how long each waits between two presses: milliseconds. */
  durationMs: number;
  pauseMs: number;
};

/** Rows that each desk shows. */
const SHOWN = 60;
/** Longer than a desk goes without looking. */
const LONGEST_MS = 60_000;

/** Lets people work for a while, and tells whether everybody ends with the same. */
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
      desks.map(({ desk }) => until(() => desk.sync.$channelState.get() === 'joined', 'no line')),
    );
    const expected = new ExpectedState(coverage.id, arrivals);
    const end = Date.now() + durationMs;
    await Promise.all(people.map((person) => work(person, expected, end, pauseMs)));
    const stopped = Date.now();
    const [first] = people;
    const stored = first ? await readUpdates(first.client, coverage.id, desksWindow(desks)) : [];
    await until(
      () => desks.every(({ desk }) => isSame(desk.updates.$rows.get(), stored)),
      'the lists stay different',
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
  if (!coverage) throw new Error('There is no such coverage.');
  const nothing = () => Promise.reject(new Error('People here press by their clients.'));
  const backend: DeskBackend = {
    tokens: { get: nothing, forget: () => {} },
    read: (query) => query(client),
    execute: nothing,
    send: nothing,
    refetched: () => {},
    joinDesk: (id, handlers) => joinDeskChannel(client, id, who.id, handlers),
    join: (open) => open(client, who.id),
  };
  const person = { ...who, handle: who.role, display_name: who.role, member: false };
  const desk = makeDesk({ coverage, person, backend: { publicUrl: '/', publishableKey: '' } }, backend);
  const stop = desk.watch();
  while (desk.updates.$window.get().most < SHOWN) desk.updates.showOlder();
  return { desk, client, stop };
}

const desksWindow = ([one]: OpenDesk[]) =>
  one?.desk.updates.$window.get() ?? { filter: 'work', words: '', most: 0 };

/** When updates come to each list; and whether a list ever shows one twice. */
class Arrivals {
  /** What is waited for: by id and version, when it was pressed and by how many desks it was seen. */
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

  /** Of those that came to every list while they were among its newest. */
  delays(): number[] {
    const all = [...this.awaited.values()].filter(({ seen }) => seen === this.desks);
    return all.map(({ pressed, last }) => last - pressed);
  }
}

/** What was answered to whom, to be compared with what is kept. */
class ExpectedState {
  readonly commandCounts: Record<string, number> = {};
  readonly published = new Map<string, number>();
  readonly withdrawn = new Set<string>();
  readonly submitted: Saved[] = [];
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

/** One of them works: writes new ones for the most part, and goes back to what they wrote. */
async function work(
  { client, role }: DeskWorker,
  expected: ExpectedState,
  end: number,
  pauseMs: number,
): Promise<void> {
  const { coverageId: coverage_id } = expected;
  const mine: Saved[] = [];
  let n = 0;
  const says = () => ({ body: [paragraph(`${role} says ${++n}.`)] });
  const act = async <T>(name: string, args: Record<string, unknown>): Promise<T> => {
    expected.count(name);
    const op = randomUUID();
    const done = call<T>(client, name, { op, ...args });
    // An answer was lost: the same press is sent again.
    if (n % 10 === 3) await call<T>(client, name, { op, ...args });
    return done;
  };
  const publish = async () => {
    const update_id = randomUUID();
    expected.arrivals.press(update_id);
    const saved = await act<Saved>('publish_update', { coverage_id, update_id, content: says() });
    expected.published.set(update_id, saved.number);
    mine.push(saved);
  };
  const actions: (() => Promise<unknown>)[] = [
    publish,
    async () => {
      const draft = { coverage_id, update_id: randomUUID() };
      const { version } = await act<Saved>('save_update', { ...draft, content: says() });
      await act('save_update', { ...draft, content: says(), version });
      expected.submitted.push(
        await act<Saved>('submit_update', { update_id: draft.update_id, version: version + 1 }),
      );
    },
    publish,
    async () => {
      const last = mine.at(-1);
      if (!last) return;
      const content = says();
      mine[mine.length - 1] = await act<Saved>('revise_update', {
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
      const saved = await act<Saved>('publish_update', { coverage_id, update_id, version, content: says() });
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
  // Not all begin with the same.
  for (let turn = Math.floor(Math.random() * actions.length); Date.now() < end; turn++) {
    await actions[turn % actions.length]?.();
    await wait(pauseMs * (0.5 + Math.random()));
  }
}

/** What is kept, against what was answered. */
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

/** Every row of a coverage that has a number, in its order, a thousand at a time. */
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

async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  const end = Date.now() + LONGEST_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(otherwise);
    await wait(20);
  }
}

/** A desk asks whether its page is seen. @returns what takes it away again */
function pretendPage(): () => void {
  const page = { visibilityState: 'visible', documentElement: { lang: 'en', dataset: {} } };
  const globals = { document: Object.assign(new EventTarget(), page), window: new EventTarget() };
  // Each desk listens, and there are many.
  setMaxListeners(0, globals.document, globals.window);
  Object.assign(globalThis, globals);
  return () => {
    for (const name of Object.keys(globals)) Reflect.deleteProperty(globalThis, name);
  };
}
