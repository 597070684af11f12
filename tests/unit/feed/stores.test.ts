import { beforeEach, expect, test } from 'vitest';
import { $feedState, $mayCheck, $pauseReasons, $reload } from '../../../src/islands/live-feed/store.ts';

const free = { ...$pauseReasons.get(), started: true };

beforeEach(() => {
  $pauseReasons.set(free);
  $reload.set('no');
});

test('before it has started, the page is as the server made it, and asks nothing', () => {
  $pauseReasons.set({ ...free, started: false });
  expect($feedState.get()).toBe('starting');
  expect($mayCheck.get()).toBe(false);
});

test('a page that is live or behind asks; a hidden one does not, whatever it says', () => {
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['live', true]);
  $pauseReasons.setKey('failures', 1);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['behind', true]);
  $pauseReasons.setKey('hidden', true);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['behind', false]);
});

test('of several hindrances the page says the one that lasts longest', () => {
  $pauseReasons.set({ ...free, failures: 2, offline: true });
  expect($feedState.get()).toBe('offline');
  $pauseReasons.setKey('paused', true);
  expect($feedState.get()).toBe('paused');
  $pauseReasons.setKey('ended', true);
  expect($feedState.get()).toBe('ended');
  $reload.set('lost');
  expect($feedState.get()).toBe('lost');
  expect($mayCheck.get()).toBe(false);
});

test('a saved copy is offline until the site has answered, and asks whenever there is a line', () => {
  $pauseReasons.setKey('saved', true);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['saved', true]);
  $pauseReasons.setKey('failures', 3);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['saved', true]);
  $pauseReasons.setKey('offline', true);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['saved', false]);
});

test('a page that slept is behind, and asks', () => {
  $pauseReasons.setKey('stale', true);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['behind', true]);
});

test('a newer edition of the page does not end the one that is open', () => {
  $reload.set('newer');
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['live', true]);
});
