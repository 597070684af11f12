import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StartError, startFailureMessage } from '../../../packages/embedded-supabase/src/start-error.ts';
import { startBackend } from '../../support/backend.ts';

test('names a migration that needs an extension PGlite does not have', async () => {
  const migrations = await mkdtemp(join(tmpdir(), 'extension-'));
  onTestFinished(() => rm(migrations, { recursive: true }));
  await writeFile(join(migrations, '20260101000000_cubes.sql'), 'create extension cube;');
  await expect(startBackend({ migrations })).rejects.toThrow(/20260101000000.*cube/s);
});

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
