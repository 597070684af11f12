import { test } from 'vitest';

test.skip('the backend on PostgreSQL: NOT TESTED, because no initdb is on the PATH or in /usr/lib/postgresql', () => {});
