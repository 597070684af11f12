import { afterEach, beforeEach, expect, it, test, vi } from 'vitest';
import { makePresence } from '../../../src/islands/desk/presence.ts';
import { colleaguesOf, editorsOf, type Presence, presencesIn } from '../../../src/lib/domain/desk.ts';
import { english } from '../../../src/lib/i18n/en/all.ts';
import { desk as words } from '../../../src/lib/i18n/en/desk.ts';

const ann = { id: 'ann', display_name: 'Ann' };
const bo = { id: 'bo', display_name: 'Bo' };
const me = { id: 'me', display_name: 'Me' };
const presenceOf = (person: string, editing: string | null = null): Presence => ({ person, editing });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('takes a person from the key of a presence, never from its content', () => {
  const state = {
    ann: [{ person: 'bo', editing: 'one', presence_ref: 'x' }, null, 'bo'],
    bo: [{ editing: { id: 'one' } }],
  };
  expect(presencesIn(state)).toEqual([
    presenceOf('ann', 'one'),
    presenceOf('ann'),
    presenceOf('ann'),
    presenceOf('bo'),
  ]);
});

test('lists each colleague once with everything being edited, without me and without strangers', () => {
  const presences = [
    presenceOf('me'),
    presenceOf('bo'),
    presenceOf('ann'),
    presenceOf('bo', 'one'),
    presenceOf('bo', 'new'),
    presenceOf('eve'),
  ];
  const colleagues = colleaguesOf(presences, [me, ann, bo], 'me');
  expect(colleagues).toEqual([
    { id: 'bo', name: 'Bo', editing: ['one', 'new'] },
    { id: 'ann', name: 'Ann', editing: [] },
  ]);
  expect(editorsOf(colleagues, 'one')).toEqual(['Bo']);
  expect(editorsOf(colleagues, 'two')).toEqual([]);
});

test('reads names once for an unknown id, and again after the channel was lost', async () => {
  const readRoster = vi.fn(async () => [me, ann]);
  const presence = makePresence(english, 'me', readRoster);
  presence.update([presenceOf('me'), presenceOf('ann')]);
  expect(presence.$others.get(), 'no name is known yet').toBe(null);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()?.map(({ name }) => name)).toEqual(['Ann']);

  readRoster.mockResolvedValue([me, ann, bo]);
  presence.update([presenceOf('me'), presenceOf('ann'), presenceOf('bo'), presenceOf('eve')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()?.map(({ name }) => name)).toEqual(['Ann', 'Bo']);
  presence.update([presenceOf('me'), presenceOf('eve')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toEqual([]);
  expect(readRoster, 'eve is in no roster and causes no further read').toHaveBeenCalledTimes(2);

  presence.reset();
  expect(presence.$others.get()).toBe(null);
  presence.update([presenceOf('me')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toEqual([]);
  expect(readRoster).toHaveBeenCalledTimes(3);
});

test('reads a failed roster again with the next presence', async () => {
  const readRoster = vi.fn(async () => [me, ann]);
  readRoster.mockRejectedValueOnce(new Error('The connection is lost.'));
  const presence = makePresence(english, 'me', readRoster);
  presence.update([presenceOf('ann')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toBe(null);
  presence.update([presenceOf('ann')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toHaveLength(1);
});

test('reads a failed roster again with the next refetch', async () => {
  const readRoster = vi.fn(async () => [me, ann]);
  readRoster.mockRejectedValueOnce(new Error('The connection is lost.'));
  const presence = makePresence(english, 'me', readRoster);
  presence.refresh();
  expect(readRoster, 'no presence was received yet').not.toHaveBeenCalled();
  presence.update([presenceOf('ann')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toBe(null);
  presence.refresh();
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toHaveLength(1);
});

test('reads old names again, and keeps them if that fails', async () => {
  const readRoster = vi.fn(async () => [me, ann]);
  const presence = makePresence(english, 'me', readRoster);
  const names = () => presence.$others.get()?.map(({ name }) => name);
  presence.update([presenceOf('ann')]);
  await vi.advanceTimersByTimeAsync(0);
  presence.refresh();
  expect(readRoster, 'they are new').toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(30_000);
  readRoster.mockRejectedValueOnce(new Error('The connection is lost.'));
  presence.refresh();
  await vi.advanceTimersByTimeAsync(0);
  expect(names()).toEqual(['Ann']);
  readRoster.mockResolvedValue([me, { id: 'ann', display_name: 'Ann Devlin' }]);
  presence.refresh();
  await vi.advanceTimersByTimeAsync(0);
  expect(names()).toEqual(['Ann Devlin']);
});

test('uses the later of two concurrent rosters', async () => {
  const first = Promise.withResolvers<(typeof me)[]>();
  const readRoster = vi.fn(async () => [me, ann, bo]);
  readRoster.mockReturnValueOnce(first.promise);
  const presence = makePresence(english, 'me', readRoster);
  presence.update([presenceOf('ann')]);
  presence.update([presenceOf('ann'), presenceOf('bo')]);
  await vi.advanceTimersByTimeAsync(0);
  first.resolve([me, ann]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()?.map(({ name }) => name)).toEqual(['Ann', 'Bo']);
});

test('announces new arrivals only', async () => {
  const presence = makePresence(english, 'me', async () => [me, ann, bo]);
  const announcements: string[] = [];
  presence.$arrived.listen((sentence) => announcements.push(sentence));
  presence.update([presenceOf('ann')]);
  await vi.advanceTimersByTimeAsync(0);
  presence.update([presenceOf('ann'), presenceOf('bo')]);
  presence.update([presenceOf('ann', 'new'), presenceOf('bo', 'one')]);
  presence.update([presenceOf('ann')]);
  vi.advanceTimersByTime(60_000);
  presence.update([presenceOf('ann'), presenceOf('bo')]);
  expect(announcements).toEqual([words.presence.arrived(['Bo'])]);
});
