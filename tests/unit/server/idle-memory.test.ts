import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { releaseIdleMemory } from '../../../src/lib/server/load.ts';

const CHECK_MS = 10_000;

let load = 0;
let stop: () => void;
const collect = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  load = 0;
  stop = releaseIdleMemory({ collect, measure: () => load });
});
afterEach(() => {
  stop();
  collect.mockClear();
  vi.useRealTimers();
});

const pass = (checks: number) => vi.advanceTimersByTime(checks * CHECK_MS);

describe('releaseIdleMemory', () => {
  it('collects once after a busy time, when the process has been idle for half a minute', () => {
    load = 0.9;
    pass(10);
    load = 0.1;
    pass(2);
    expect(collect).not.toHaveBeenCalled();
    pass(1);
    expect(collect).toHaveBeenCalledOnce();
    pass(100);
    expect(collect).toHaveBeenCalledOnce();
  });

  it('collects after the start, and again after the next busy time', () => {
    pass(3);
    expect(collect).toHaveBeenCalledOnce();
    load = 0.9;
    pass(1);
    load = 0;
    pass(3);
    expect(collect).toHaveBeenCalledTimes(2);
  });

  it('never collects while the process works', () => {
    load = 0.3;
    pass(100);
    expect(collect).not.toHaveBeenCalled();
  });

  it('does nothing after it was stopped', () => {
    stop();
    pass(10);
    expect(collect).not.toHaveBeenCalled();
  });
});
