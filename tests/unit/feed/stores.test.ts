import { beforeEach, expect, test } from 'vitest';
import { $asking, $hindrance, $line, $reload } from '../../../src/islands/stores/feed.ts';

const free = { ...$hindrance.get(), started: true };

beforeEach(() => {
  $hindrance.set(free);
  $reload.set('no');
});

test('before it has started, the page is as the server made it, and asks nothing', () => {
  $hindrance.set({ ...free, started: false });
  expect($line.get()).toBe('starting');
  expect($asking.get()).toBe(false);
});

test('a page that is live or behind asks; a hidden one does not, whatever it says', () => {
  expect([$line.get(), $asking.get()]).toEqual(['live', true]);
  $hindrance.setKey('failures', 1);
  expect([$line.get(), $asking.get()]).toEqual(['behind', true]);
  $hindrance.setKey('hidden', true);
  expect([$line.get(), $asking.get()]).toEqual(['behind', false]);
});

test('of several hindrances the page says the one that lasts longest', () => {
  $hindrance.set({ ...free, failures: 2, offline: true });
  expect($line.get()).toBe('offline');
  $hindrance.setKey('paused', true);
  expect($line.get()).toBe('paused');
  $hindrance.setKey('ended', true);
  expect($line.get()).toBe('ended');
  $reload.set('lost');
  expect($line.get()).toBe('lost');
  expect($asking.get()).toBe(false);
});

test('a saved copy is offline until the site has answered, and asks whenever there is a line', () => {
  $hindrance.setKey('saved', true);
  expect([$line.get(), $asking.get()]).toEqual(['saved', true]);
  $hindrance.setKey('failures', 3);
  expect([$line.get(), $asking.get()]).toEqual(['saved', true]);
  $hindrance.setKey('offline', true);
  expect([$line.get(), $asking.get()]).toEqual(['saved', false]);
});

test('a page that slept is behind, and asks', () => {
  $hindrance.setKey('stale', true);
  expect([$line.get(), $asking.get()]).toEqual(['behind', true]);
});

test('a newer edition of the page does not end the one that is open', () => {
  $reload.set('newer');
  expect([$line.get(), $asking.get()]).toEqual(['live', true]);
});
