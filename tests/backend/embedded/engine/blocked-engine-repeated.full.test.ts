import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UnavailableError } from '../../../../packages/embedded-supabase/src/engine/errors.ts';
import { openPglite } from '../../../../packages/embedded-supabase/src/engine/pglite.ts';
import { runWithLimits } from '../../../../packages/embedded-supabase/src/engine/work.ts';
import { ENGINE, newDataFolder, removeData } from '../../../support/data-folders.ts';
import { PROBE_SCHEMA } from '../probe.ts';

/** Backtracks without end. */
const CATASTROPHIC = `select repeat('a b ', 60) || 'x' ~ '^(.+)(.+)(.+)(.+)(.+)(.+)\\1\\2\\3\\4\\5\\6$'`;

test.skipIf(ENGINE !== 'pglite')(
  'leaks neither memory nor files when PGlite restarts twenty times',
  async () => {
    const data = await newDataFolder(PROBE_SCHEMA);
    const engine = await openPglite(join(data, 'db'));
    onTestFinished(async () => {
      await engine.close();
      await removeData(data);
    });
    const restart = async () => {
      const held = runWithLimits({ maxHoldMs: 100 }, () => engine.exec(CATASTROPHIC));
      await expect(held).rejects.toMatchObject({ code: '57014' });
      await expect
        .poll(() => engine.exec('select 1').catch((error: unknown) => error instanceof UnavailableError), {
          timeout: 60_000,
        })
        .toBe(undefined);
    };
    const files = () => readdirSync('/proc/self/fd').length;

    for (let n = 0; n < 3; n++) await restart();
    const before = { files: files(), memory: process.memoryUsage().rss };
    for (let n = 0; n < 20; n++) await restart();

    expect(files()).toBeLessThanOrEqual(before.files + 4);
    expect(process.memoryUsage().rss).toBeLessThan(before.memory * 1.15);
  },
  600_000,
);
