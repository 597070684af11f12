import { expect } from 'vitest';
import { PERMISSIONS } from '../../src/lib/domain/permissions.ts';
import { serviceClient, type TestBackend } from '../support/backend.ts';
import { test } from '../support/backend-test.ts';

let backend: TestBackend;
test.beforeAll(async ({ context }) => {
  backend = context.backend;
});

test("the permissions of the screens equal the database's", async () => {
  const { data } = await serviceClient(backend).rpc('permissions');
  const stored: Record<string, Record<string, string>> = {};
  for (const { permission, role, scope } of data as { permission: string; role: string; scope: string }[]) {
    stored[permission] = { ...stored[permission], [role]: scope };
  }
  expect(PERMISSIONS).toEqual(stored);
});
