import { expect, test } from 'vitest';
import {
  followPath,
  readRequestedFollow,
  requestedFollowIn,
  requestedFollowPath,
} from '../../../src/lib/data/follows.ts';

const STORM = { kind: 'coverage', slug: 'storm-ada' } as const;

test('encodes a requested follow in a URL of this site, and reads it back', () => {
  for (const chosen of [
    { target: STORM, scope: 'key' },
    { target: { kind: 'topic', slug: 'floods' }, scope: 'all' },
  ] as const) {
    expect(readRequestedFollow(requestedFollowPath(chosen))).toEqual(chosen);
  }
  expect(followPath(STORM)).toBe('/follow/live/storm-ada');
});

test.for([
  null,
  '/',
  '/follow/live/storm-ada',
  '/follow/live/storm-ada?mail=none',
  '/follow/live/storm-ada?mail=key&push=1',
  '/follow/live/storm-ada?mail=key#x',
  '/follow/live/Storm?mail=key',
  '/follow/live/-?mail=key',
  '/follow/people/storm-ada?mail=key',
  '/follow/live/storm-ada/x?mail=key',
  '//follow/live/storm-ada?mail=key',
  'https://evil.example/follow/live/storm-ada?mail=key',
])('%s contains no follow', (path) => {
  expect(readRequestedFollow(path)).toBeNull();
});

test('takes the scope from the form, but not the target', () => {
  const form = new FormData();
  const path = requestedFollowPath({ target: STORM, scope: 'all' });
  form.set('scope', 'key');
  form.set('slug', 'another');
  expect(requestedFollowIn(path, form)).toEqual({ target: STORM, scope: 'key' });
  form.set('scope', 'everything');
  expect(requestedFollowIn(path, form)).toEqual({ target: STORM, scope: 'all' });
  expect(requestedFollowIn('/', form)).toBeNull();
});
