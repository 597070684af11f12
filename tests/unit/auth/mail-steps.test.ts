import { expect, test } from 'vitest';
import { pauseLeft } from '../../../src/lib/http/mail-steps.server.ts';

test.each([
  ['at once', 0, 60],
  ['half a second later', 500, 60],
  ['59.9 seconds later', 59_900, 1],
  ['a minute later', 60_000, 0],
  ['an hour later', 3_600_000, 0],
])('%s, the next mail is possible after %s ms: %i s left', (_when, later, seconds) => {
  expect(pauseLeft({ at: 1_000 }, 1_000 + later)).toBe(seconds);
});
