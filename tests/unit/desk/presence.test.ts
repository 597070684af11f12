import { afterEach, beforeEach, expect, it, test, vi } from 'vitest';
import { makePresence } from '../../../src/islands/desk/presence.ts';
import { colleaguesOf, editorsOf, type Presence, presencesIn } from '../../../src/lib/domain/presence.ts';
import { desk as words } from '../../../src/lib/i18n/desk.ts';

const ann = { id: 'ann', display_name: 'Ann' };
const bo = { id: 'bo', display_name: 'Bo' };
const me = { id: 'me', display_name: 'Me' };
const here = (person: string, editing: string | null = null): Presence => ({ person, editing });

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
  expect(presencesIn(state)).toEqual([here('ann', 'one'), here('ann'), here('ann'), here('bo')]);
});

test('each is named once by the roster, with all that they edit; I am not, nor is a stranger', () => {
  const presences = [here('me'), here('bo'), here('ann'), here('bo', 'one'), here('bo', 'new'), here('eve')];
  const colleagues = colleaguesOf(presences, [me, ann, bo], 'me');
  expect(colleagues).toEqual([
    { id: 'bo', name: 'Bo', editing: ['one', 'new'] },
    { id: 'ann', name: 'Ann', editing: [] },
  ]);
  expect(editorsOf(colleagues, 'one')).toEqual(['Bo']);
  expect(editorsOf(colleagues, 'two')).toEqual([]);
});

test('names are read when an id is unknown, once for each, and again after the line was lost', async () => {
  const readRoster = vi.fn(async () => [me, ann]);
  const presence = makePresence('me', readRoster);
  presence.update([here('me'), here('ann')]);
  expect(presence.$others.get(), 'nobody is known by name yet').toBe(null);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()?.map(({ name }) => name)).toEqual(['Ann']);

  readRoster.mockResolvedValue([me, ann, bo]);
  presence.update([here('me'), here('ann'), here('bo'), here('eve')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()?.map(({ name }) => name)).toEqual(['Ann', 'Bo']);
  presence.update([here('me'), here('eve')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toEqual([]);
  expect(readRoster, 'eve is in no roster, and is not asked for again').toHaveBeenCalledTimes(2);

  presence.reset();
  expect(presence.$others.get()).toBe(null);
  presence.update([here('me')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toEqual([]);
  expect(readRoster).toHaveBeenCalledTimes(3);
});

test('a roster that cannot be read is asked for again with the next that is heard', async () => {
  const readRoster = vi.fn(async () => [me, ann]);
  readRoster.mockRejectedValueOnce(new Error('The line is gone.'));
  const presence = makePresence('me', readRoster);
  presence.update([here('ann')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toBe(null);
  presence.update([here('ann')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toHaveLength(1);
});

test('a roster that could not be read is asked for again with the next look, though nobody comes or goes', async () => {
  const readRoster = vi.fn(async () => [me, ann]);
  readRoster.mockRejectedValueOnce(new Error('The line is gone.'));
  const presence = makePresence('me', readRoster);
  presence.refresh();
  expect(readRoster, 'nobody was heard of yet').not.toHaveBeenCalled();
  presence.update([here('ann')]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toBe(null);
  presence.refresh();
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()).toHaveLength(1);
});

test('names are read anew with a look once they are old, and stay when they cannot be', async () => {
  const readRoster = vi.fn(async () => [me, ann]);
  const presence = makePresence('me', readRoster);
  const names = () => presence.$others.get()?.map(({ name }) => name);
  presence.update([here('ann')]);
  await vi.advanceTimersByTimeAsync(0);
  presence.refresh();
  expect(readRoster, 'they are new').toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(30_000);
  readRoster.mockRejectedValueOnce(new Error('The line is gone.'));
  presence.refresh();
  await vi.advanceTimersByTimeAsync(0);
  expect(names()).toEqual(['Ann']);
  readRoster.mockResolvedValue([me, { id: 'ann', display_name: 'Ann Devlin' }]);
  presence.refresh();
  await vi.advanceTimersByTimeAsync(0);
  expect(names()).toEqual(['Ann Devlin']);
});

test('of two rosters that are read at once the later one counts', async () => {
  const first = Promise.withResolvers<(typeof me)[]>();
  const readRoster = vi.fn(async () => [me, ann, bo]);
  readRoster.mockReturnValueOnce(first.promise);
  const presence = makePresence('me', readRoster);
  presence.update([here('ann')]);
  presence.update([here('ann'), here('bo')]);
  await vi.advanceTimersByTimeAsync(0);
  first.resolve([me, ann]);
  await vi.advanceTimersByTimeAsync(0);
  expect(presence.$others.get()?.map(({ name }) => name)).toEqual(['Ann', 'Bo']);
});

test('those who come are announced, not those who were here, who come back, or who write', async () => {
  const presence = makePresence('me', async () => [me, ann, bo]);
  const said: string[] = [];
  presence.$arrived.listen((sentence) => said.push(sentence));
  presence.update([here('ann')]);
  await vi.advanceTimersByTimeAsync(0);
  presence.update([here('ann'), here('bo')]);
  presence.update([here('ann', 'new'), here('bo', 'one')]);
  presence.update([here('ann')]);
  vi.advanceTimersByTime(60_000);
  presence.update([here('ann'), here('bo')]);
  expect(said).toEqual([words.presence.arrived(['Bo'])]);
});
