import { atom } from 'nanostores';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { throttled } from '../../../src/islands/desk/channel.ts';
import type { OpenPanel } from '../../../src/islands/desk/context.ts';
import { type Editing, makeEditing } from '../../../src/islands/desk/presence.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a throttled sender', () => {
  const pace = { most: 4, per: 30_000, settle: 500 };

  test('keeps the rate limit, and always sends the last value', () => {
    const sent: { value: number; at: number }[] = [];
    const begun = Date.now();
    const send = throttled((value: number) => sent.push({ value, at: Date.now() - begun }), pace);
    for (let value = 1; value <= 100; value++) {
      send(value);
      vi.advanceTimersByTime(700);
    }
    vi.advanceTimersByTime(60_000);
    expect(sent.at(-1)?.value).toBe(100);
    expect(sent.length).toBeGreaterThan(8);
    for (const { at } of sent) {
      const window = sent.filter((call) => call.at >= at && call.at < at + pace.per);
      expect(window.length).toBeLessThanOrEqual(pace.most);
    }
  });

  test('does not send a value that is reverted at once', () => {
    const send = vi.fn();
    const call = throttled<string | null>(send, pace);
    call('one');
    call(null);
    vi.advanceTimersByTime(1_000);
    expect(send.mock.calls).toEqual([[null]]);
  });
});

describe('the tracked editing state', () => {
  const $open = atom<OpenPanel | null>(null);
  let page: EventTarget & { visibilityState: string };
  let editing: Editing;
  let stop: () => void;

  beforeEach(() => {
    page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    vi.stubGlobal('document', Object.assign(page, { documentElement: { lang: 'en', dataset: {} } }));
    $open.set(null);
    editing = makeEditing($open);
    stop = editing.watch();
  });
  afterEach(() => stop());
  const show = (state: 'visible' | 'hidden') => {
    page.visibilityState = state;
    page.dispatchEvent(new Event('visibilitychange'));
  };

  test('is the open update, before a new one with text', () => {
    editing.reportEditing('new');
    expect(editing.$editing.get()).toBe('new');
    $open.set({ id: 'one', panel: 'edit' });
    expect(editing.$editing.get()).toBe('one');
    vi.advanceTimersByTime(600_000);
    expect(editing.$editing.get(), 'a person may read for a long time').toBe('one');
    $open.set({ id: 'one', panel: 'spike' });
    expect(editing.$editing.get()).toBe(null);
  });

  test('is a new update while text is typed, until it is gone', () => {
    editing.reportEditing('new');
    vi.advanceTimersByTime(50_000);
    editing.reportEditing('new');
    vi.advanceTimersByTime(50_000);
    expect(editing.$editing.get()).toBe('new');
    vi.advanceTimersByTime(20_000);
    expect(editing.$editing.get()).toBe(null);
    editing.reportEditing('new');
    editing.reportEditing(null);
    expect(editing.$editing.get()).toBe(null);
  });

  test('is empty after some time on a hidden page', () => {
    $open.set({ id: 'one', panel: 'edit' });
    show('hidden');
    vi.advanceTimersByTime(50_000);
    expect(editing.$editing.get()).toBe('one');
    show('visible');
    vi.advanceTimersByTime(50_000);
    expect(editing.$editing.get()).toBe('one');
    show('hidden');
    vi.advanceTimersByTime(70_000);
    expect(editing.$editing.get()).toBe(null);
    show('visible');
    expect(editing.$editing.get()).toBe('one');
  });
});
