import { expect, test } from 'vitest';
import { StartError, startFailure } from '../../../packages/embedded-supabase/src/start-error.ts';

test('our own sentence is told as it is', () => {
  expect(startFailure(new StartError('Do this.'))).toBe('Do this.');
});

test("a library's words are not told: they may quote its settings", () => {
  const error = new Error('Invalid config {"jwt_secret": "sesame"}\nsecret_key: sesame');
  error.name = 'InvalidSchemaError';
  const told = startFailure(error);
  expect(told).toContain('could not start (InvalidSchemaError)');
  expect(told).toContain('start-error.test.ts');
  expect(told).not.toContain('sesame');
});
