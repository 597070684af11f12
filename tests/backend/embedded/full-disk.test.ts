import { execFileSync } from 'node:child_process';
import { closeSync, cpSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serviceClient } from '../../support/backend.ts';
import { ENGINE, newDataFolder, removeData } from '../../support/data-folders.ts';
import { startProcess } from '../../support/processes.ts';
import { PROBE_SCHEMA } from './probe.ts';

const SIZE = '200m';

/** Mounts a small disk. Returns false if this user may not mount one. */
function mountDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const freeOn = (disk: string) => {
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize;
};

test.skipIf(ENGINE !== 'pglite')(
  'a full disk refuses writes as unavailable, keeps acknowledged ones, and allows reading',
  { timeout: 60_000 },
  async ({ skip }) => {
    const disk = await mkdtemp(join(tmpdir(), 'stoppress-disk-'));
    if (!mountDisk(disk)) {
      await rm(disk, { recursive: true });
      skip('Only who may mount a disk can fill one.');
    }
    onTestFinished(async () => {
      execFileSync('umount', ['-l', disk]);
      await rm(disk, { recursive: true });
    });
    const template = await newDataFolder(PROBE_SCHEMA);
    const data = join(disk, 'data');
    cpSync(template, data, { recursive: true });
    await removeData(template);
    const where = { EMBEDDED_SUPABASE_DATA: data, EMBEDDED_SUPABASE_MIGRATIONS: PROBE_SCHEMA };
    const backend = await startProcess(where);
    onTestFinished(() => backend.kill());
    const notes = serviceClient(backend).from('notes');
    const kept: string[] = [];
    // As many rows as need a new page.
    const write = async (name: string) => {
      const bodies = Array.from({ length: 200 }, (_, n) => `${name} ${n}`);
      const { error, status } = await notes.insert(bodies.map((body) => ({ body })));
      if (!error) kept.push(...bodies);
      return [status, error?.code, error?.message];
    };
    expect(await write('before')).toEqual([201, undefined, undefined]);

    const ballast = join(disk, 'ballast');
    const file = openSync(ballast, 'w');
    for (let left = freeOn(disk); left > 0; left = freeOn(disk))
      writeSync(file, Buffer.alloc(Math.min(left, 1024 * 1024), 1));
    closeSync(file);
    // The first write without space uses the reserve, or is refused as a whole.
    let n = 0;
    const full = [503, 'PT503', 'unavailable'];
    await expect.poll(() => write(`full ${n++}`), { timeout: 20_000, interval: 5 }).toEqual(full);
    expect(await write('never')).toEqual(full);
    expect((await notes.select('*', { count: 'exact', head: true })).count).toBe(kept.length);
    const reports = () => backend.errors().match(/The disk is full\. /g) ?? [];
    expect(reports()).toHaveLength(1);

    rmSync(ballast);
    await expect.poll(() => write(`room ${n++}`), { timeout: 10_000 }).toEqual([201, undefined, undefined]);
    expect(backend.errors()).toContain('There is room on the disk again');
    await backend.kill();

    const again = await startProcess({
      ...where,
      PUBLIC_SUPABASE_PUBLISHABLE_KEY: backend.publishableKey,
      SUPABASE_SECRET_KEY: backend.secretKey,
    });
    onTestFinished(() => again.kill());
    const rows = serviceClient(again).from('notes').select('*', { count: 'exact', head: true });
    expect((await rows).count).toBe(kept.length);
  },
);
