import type { Extension } from '@electric-sql/pglite';
import { LONGEST_TIMER_MS } from '../long-timer.ts';

type Imports = { env?: Record<string, unknown> };
type Instantiate = (imports: Imports, ready: unknown) => unknown;

/**
 * PostgreSQL has itself woken at moments of the wall clock. Set back by years, a clock makes the next of them years away:
 * longer than any timer can be, which went off at once, found that it was not time, and asked again, a thousand times a
 * second until the backend was started again. Woken too early, PostgreSQL looks at its clock and asks again.
 */
export const shortAlarms: Extension = {
  name: 'short_alarms',
  async setup(_pg, options: { instantiateWasm: Instantiate }) {
    const instantiateWasm: Instantiate = (imports, ready) => {
      const setAlarm = imports.env?._setitimer_js;
      if (imports.env && typeof setAlarm === 'function') {
        imports.env._setitimer_js = (which: number, ms: number) =>
          setAlarm(which, Math.min(ms, LONGEST_TIMER_MS));
      }
      return options.instantiateWasm(imports, ready);
    };
    return { emscriptenOpts: { ...options, instantiateWasm } };
  },
};
