import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Desk, makeDesk } from '../../../src/islands/desk/desk.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import {
  coverage,
  deskUpdate,
  type FakeDesk,
  openFakeDesk,
  person,
  published,
} from '../../support/fake-desk.ts';

const draft = deskUpdate();
const two = published(2);
const one = published(1);

let newsroom: FakeDesk;
let desk: Desk;
let stop: () => void;
let page: EventTarget & { visibilityState: string };

beforeEach(async () => {
  vi.useFakeTimers();
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  vi.stubGlobal('document', Object.assign(page, { documentElement: { lang: 'en', dataset: {} } }));
  vi.stubGlobal('window', new EventTarget());
  newsroom = openFakeDesk([draft, two, one]);
  const backend = { publicUrl: '/', publishableKey: 'x' };
  desk = makeDesk(english, { coverage, person: person('editor'), backend, language: 'en' }, newsroom.backend);
  desk.updates.setServed([draft, two, one]);
  stop = desk.watch();
  await vi.advanceTimersByTimeAsync(0);
});

afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const FULL_REFETCH = ['coverage', 'heads'];
const handlers = () => {
  const channel = newsroom.channels.at(-1);
  if (!channel) throw new Error('The desk opens its channel.');
  return channel.handlers;
};
/** Joins the newest channel and refetches. */
async function join() {
  handlers().joined();
  await vi.advanceTimersByTimeAsync(0);
  newsroom.takeCalls();
}
/** Another person saves a version of an update. */
function save(update: typeof draft) {
  newsroom.rows = [...newsroom.rows.filter((row) => row.id !== update.id), update];
  handlers().update(update.id, update.version);
  return vi.advanceTimersByTimeAsync(0);
}
const shownIds = () => desk.updates.$rows.get().map((row) => row.id);

test('the first successful fetch opens the channel, and joining refetches everything', async () => {
  expect(newsroom.takeCalls()).toEqual(FULL_REFETCH);
  expect(newsroom.channels).toHaveLength(1);
  handlers().joined();
  await vi.advanceTimersByTimeAsync(0);
  expect(newsroom.takeCalls()).toEqual(FULL_REFETCH);
});

test('refetches every 5 s before joining, and every 30 s afterwards', async () => {
  newsroom.takeCalls();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(newsroom.takeCalls()).toEqual([...FULL_REFETCH, ...FULL_REFETCH]);
  await join();
  await vi.advanceTimersByTimeAsync(29_000);
  expect(newsroom.takeCalls()).toEqual([]);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(newsroom.takeCalls()).toEqual(FULL_REFETCH);
});

test('fetches a single changed row and places it', async () => {
  await join();
  const late = published(3);
  await save(late);
  expect(newsroom.takeCalls()).toEqual([late.id]);
  expect(shownIds()).toEqual([draft.id, late.id, two.id, one.id]);
  await save({ ...draft, state: 'spiked' });
  expect(shownIds()).toEqual([late.id, two.id, one.id]);
});

test('fetches a burst of changes together', async () => {
  await join();
  const release = newsroom.hold();
  await save({ ...one, version: 2 });
  const more = [published(3), published(4), published(5)];
  for (const row of more) await save(row);
  release();
  await vi.advanceTimersByTimeAsync(0);
  expect(newsroom.takeCalls()).toEqual([one.id, more.map((row) => row.id).join(' ')]);
});

test('refetches everything after a change of the coverage or an import', async () => {
  await join();
  const imported = Array.from({ length: 60 }, (_, index) => published(100 - index));
  newsroom.rows = [...imported, draft, two, one];
  handlers().coverage();
  await vi.advanceTimersByTimeAsync(0);
  expect(newsroom.takeCalls().slice(0, 2)).toEqual(FULL_REFETCH);
  expect(shownIds()).toEqual(expect.arrayContaining(imported.map((row) => row.id)));
});

test('shows and hides the reminder of a quiet coverage with a refetch', async () => {
  await join();
  for (const quiet_since of ['2026-11-20T02:00:00+00:00', null]) {
    newsroom.coverage = { ...coverage, quiet_since };
    handlers().coverage();
    await vi.advanceTimersByTimeAsync(0);
    expect(desk.$coverage.get().quiet_since).toBe(quiet_since);
  }
});

test('reads the roster again with the next refetch', async () => {
  await join();
  newsroom.refuse(500);
  handlers().present([{ person: 'ann-id', editing: null }]);
  await vi.advanceTimersByTimeAsync(0);
  expect(desk.presence.$others.get()).toBe(null);
  newsroom.refuse(null);
  newsroom.roster = [...newsroom.roster, { id: 'ann-id', display_name: 'Ann' }];
  await vi.advanceTimersByTimeAsync(35_000);
  expect(desk.presence.$others.get()?.map(({ name }) => name)).toEqual(['Ann']);
});

test('ignores a known version, but fetches waiting updates with the same version', async () => {
  await join();
  handlers().update(one.id, 1);
  await vi.advanceTimersByTimeAsync(0);
  expect(newsroom.takeCalls()).toEqual([]);
  await save({ ...draft, state: 'submitted' });
  expect(desk.updates.$rows.get()[0]).toMatchObject({ id: draft.id, state: 'submitted' });
});

test('fetches nothing while the page is hidden, and everything when it is visible', async () => {
  await join();
  page.visibilityState = 'hidden';
  await save(published(3));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(newsroom.takeCalls()).toEqual([]);
  page.visibilityState = 'visible';
  page.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(0);
  expect(newsroom.takeCalls().slice(0, 2)).toEqual(FULL_REFETCH);
});

test('refetches at once and every 5 s after the channel is lost, until it is joined again', async () => {
  await join();
  handlers().lost();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(newsroom.takeCalls()).toEqual([...FULL_REFETCH, ...FULL_REFETCH]);
  expect(newsroom.channels).toHaveLength(1);
  await join();
  await vi.advanceTimersByTimeAsync(25_000);
  expect(newsroom.takeCalls()).toEqual([]);
});

test('tries a closed channel again after half a minute, if the backend is reached', async () => {
  await join();
  newsroom.refuse(401);
  handlers().closed();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(newsroom.channels).toHaveLength(1);
  newsroom.refuse(null);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(newsroom.channels).toHaveLength(2);
  handlers().closed();
  await vi.advanceTimersByTimeAsync(25_000);
  expect(newsroom.channels).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(newsroom.channels).toHaveLength(3);
});

test('refetches everything soon after a failed fetch', async () => {
  await join();
  newsroom.refuse(500);
  await save({ ...one, version: 2, headline: 'Missed' });
  expect(desk.sync.$connection.get()?.state).toBe('behind');
  newsroom.refuse(null);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(desk.sync.$connection.get()?.state).toBe('current');
  expect(desk.updates.$rows.get().at(-1)).toMatchObject({ headline: 'Missed' });
});

test('answers the next message after a failure with a full refetch', async () => {
  await join();
  newsroom.refuse(500);
  await save({ ...one, version: 2, headline: 'Missed' });
  newsroom.refuse(null);
  await save(published(3));
  expect(shownIds()).toHaveLength(4);
  expect(desk.updates.$rows.get()).toContainEqual(expect.objectContaining({ headline: 'Missed' }));
});

test('tracks the own presence at each joining, and what is being edited', async () => {
  const tracked = () => newsroom.channels.at(-1)?.tracked;
  await join();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(tracked()).toEqual([{ editing: null }]);
  desk.view.$open.set({ id: one.id, panel: 'edit' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(tracked()?.at(-1)).toEqual({ editing: one.id });
  handlers().lost();
  await join();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(tracked()).toHaveLength(3);
  expect(tracked()?.at(-1)).toEqual({ editing: one.id });
});

test('tells a person without permission, keeps the last rows and leaves the channel', async () => {
  await join();
  handlers().present([{ person: 'editor-id', editing: null }]);
  await vi.advanceTimersByTimeAsync(0);
  expect(desk.presence.$others.get()).toEqual([]);
  newsroom.rows = [];
  newsroom.roster = [];
  handlers().update(one.id, 2);
  await vi.advanceTimersByTimeAsync(0);
  expect(desk.sync.$connection.get()?.state).toBe('not_yours');
  expect(shownIds()).toEqual([draft.id, two.id, one.id]);
  expect(newsroom.channels.map((channel) => channel.isLeft)).toEqual([true]);
  expect(desk.presence.$others.get()).toBe(null);

  newsroom.rows = [draft];
  await vi.advanceTimersByTimeAsync(5_000);
  expect(newsroom.channels.map((channel) => channel.isLeft)).toEqual([true, false]);
});

test('an empty desk is not treated as closed', async () => {
  newsroom.rows = [];
  await join();
  expect(desk.sync.$connection.get()?.state).toBe('current');
  expect(shownIds()).toEqual([]);
});

test('leaves the channel with the page', () => {
  stop();
  expect(newsroom.channels.map((channel) => channel.isLeft)).toEqual([true]);
});
