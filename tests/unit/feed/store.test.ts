import { beforeEach, expect, test } from 'vitest';
import { $feedState, $mayCheck, $pauseReasons, $reload } from '../../../src/islands/live-feed/store.ts';

const free = { ...$pauseReasons.get(), started: true };

beforeEach(() => {
  $pauseReasons.set(free);
  $reload.set('no');
});

test('a page that has not started is unchanged and does not check', () => {
  $pauseReasons.set({ ...free, started: false });
  expect($feedState.get()).toBe('starting');
  expect($mayCheck.get()).toBe(false);
});

test('a live or outdated page checks, and a hidden one does not', () => {
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['live', true]);
  $pauseReasons.setKey('failures', 1);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['behind', true]);
  $pauseReasons.setKey('hidden', true);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['behind', false]);
});

test('shows the pause reason that lasts longest', () => {
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

test('a saved page is offline until the site responds, and checks when there is a connection', () => {
  $pauseReasons.setKey('saved', true);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['saved', true]);
  $pauseReasons.setKey('failures', 3);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['saved', true]);
  $pauseReasons.setKey('offline', true);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['saved', false]);
});

test('a page that was asleep is outdated, and checks', () => {
  $pauseReasons.setKey('stale', true);
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['behind', true]);
});

test('a newer build does not stop an open page', () => {
  $reload.set('newer');
  expect([$feedState.get(), $mayCheck.get()]).toEqual(['live', true]);
});
