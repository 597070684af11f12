import { expect, test, vi } from 'vitest';
import { convert } from '../../../src/lib/cli/import/import-pictures.ts';
import type { runImageWorker } from '../../../src/lib/server/image-processing/image-processor.server.ts';

const worker = () => vi.fn<typeof runImageWorker>();

test('stops when the machine interrupts the conversion of a picture twice', async () => {
  const run = worker().mockResolvedValue('interrupted');
  await expect(convert('file', 'folder', run)).rejects.toMatchObject({ refusal: { code: 'unavailable' } });
  expect(run).toHaveBeenCalledTimes(2);
});

test('tries once more when the machine interrupts the conversion of a picture', async () => {
  const run = worker().mockResolvedValueOnce('interrupted').mockResolvedValue('crashed');
  expect(await convert('file', 'folder', run)).toBe('crashed');
});
