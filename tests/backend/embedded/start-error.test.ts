import { expect, test } from 'vitest';
import { StartError, startFailureMessage } from '../../../packages/embedded-supabase/src/start-error.ts';

test('shows sentences of the product', () => {
  expect(startFailureMessage(new StartError('Do this.'))).toBe('Do this.');
});

test('hides messages of libraries, which may quote settings', () => {
  const error = new Error('Invalid config {"jwt_secret": "sesame"}\nsecret_key: sesame');
  error.name = 'InvalidSchemaError';
  const told = startFailureMessage(error);
  expect(told).toContain('could not start (InvalidSchemaError)');
  expect(told).toContain('start-error.test.ts');
  expect(told).not.toContain('sesame');
});
