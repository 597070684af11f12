import { expect, test } from 'vitest';
import {
  followPath,
  readRequestedFollow,
  requestedFollowIn,
  requestedFollowPath,
} from '../../../src/lib/data/follows.ts';

const STORM = { kind: 'coverage', slug: 'storm-ada' } as const;

test('a choice travels in an address of ours, and comes back as it was', () => {
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
])('%s holds no choice', (path) => {
  expect(readRequestedFollow(path)).toBeNull();
});

test('a form says how much of it, and never of what', () => {
  const form = new FormData();
  const path = requestedFollowPath({ target: STORM, scope: 'all' });
  form.set('scope', 'key');
  form.set('slug', 'another');
  expect(requestedFollowIn(path, form)).toEqual({ target: STORM, scope: 'key' });
  form.set('scope', 'everything');
  expect(requestedFollowIn(path, form)).toEqual({ target: STORM, scope: 'all' });
  expect(requestedFollowIn('/', form)).toBeNull();
});
