import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runImageWorker } from '../../../src/lib/server/image-processing/image-processor.server.ts';
import {
  createRenditions,
  type ProcessedPhoto,
} from '../../../src/lib/server/image-processing/image-worker.ts';
import { childrenOf } from '../../support/processes.ts';

/** A file with these bytes, and a folder for its renditions. */
async function place(bytes: Buffer | string) {
  const folder = await mkdtemp(join(tmpdir(), 'develop-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'sent');
  await writeFile(file, bytes);
  return { file, folder };
}

async function made(bytes: Buffer | string) {
  const { file, folder } = await place(bytes);
  const result = await createRenditions(file, folder);
  const names = (await readdir(folder)).filter((name) => name !== 'sent');
  const read = (width: number) => readFile(join(folder, String(width)));
  return { result, names, read };
}

/** An image, blue above and red below. */
function picture(width: number, height: number) {
  const half = { create: { width, height: height / 2, channels: 3 as const, background: '#c01020' } };
  return sharp({ create: { width, height, channels: 3, background: '#1030c0' } }).composite([
    { input: half, gravity: 'south' },
  ]);
}

test('makes upright renditions of every width without metadata', async () => {
  const sideways = await picture(1000, 2400)
    .jpeg()
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { Copyright: 'secret place' }, IFD3: { GPSLatitude: '53/1 20/1 0/1' } })
    .toBuffer();
  expect(sideways.includes('secret place'), 'the source contains metadata').toBe(true);
  const { result, names, read } = await made(
    Buffer.concat([sideways, Buffer.from('<script>alert(1)</script>')]),
  );
  const { renditions, placeholder_colour: colour } = result as ProcessedPhoto;
  expect(renditions.map(({ width, height }) => [width, height])).toEqual([
    [480, 200],
    [960, 400],
    [1600, 667],
  ]);
  expect(names.sort()).toEqual(['1600', '480', '960']);
  expect(colour).toMatch(/^#[0-9a-f]{6}$/);
  for (const { width, height, bytes } of renditions) {
    const print = await read(width);
    expect(print.length).toBe(bytes);
    for (const word of ['secret', 'script'])
      expect(print.includes(word), `the rendition contains “${word}”`).toBe(false);
    const head = await sharp(print).metadata();
    expect(head).toMatchObject({ format: 'webp', width, height });
    expect([head.exif, head.icc, head.orientation]).toEqual([undefined, undefined, undefined]);
  }
  // Rotated to the right: the lower half is on the left.
  const { data } = await sharp(await read(480))
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(data[0]).toBeGreaterThan(150);
  expect(data[479 * 3 + 2]).toBeGreaterThan(150);
});

test.for([
  ['png', 1200, 30, [480, 960, 1200]],
  ['webp', 481, 100, [480, 481]],
  ['avif', 480, 100, [480]],
  ['jpeg', 40, 4000, [40]],
  ['jpeg', 900, 9000, [480, 600]],
  ['png', 2, 60_000, [1]],
] as const)('a %s of %d by %d is not enlarged', async ([format, width, height, widths]) => {
  const { result } = await made(await picture(width, height)[format]().toBuffer());
  expect((result as ProcessedPhoto).renditions.map((print) => print.width)).toEqual(widths);
});

test('puts transparent images on white', async () => {
  const clear = { create: { width: 20, height: 20, channels: 4 as const, background: '#00000000' } };
  const { result, read } = await made(await sharp(clear).png().toBuffer());
  expect(result).toMatchObject({ placeholder_colour: '#f8f8f8' });
  expect([
    ...(
      await sharp(await read(20))
        .raw()
        .toBuffer()
    ).subarray(0, 3),
  ]).toEqual([255, 255, 255]);
});

/** The head of a PNG that claims a size. */
async function lying(width: number, height: number) {
  const png = await picture(10, 10).png().toBuffer();
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

const jpeg = await picture(800, 600).jpeg().toBuffer();
const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>';

test.for([
  ['an SVG', svg],
  ['an SVG behind an XML head', `<?xml version="1.0"?>${svg}`],
  ['a GIF', await picture(8, 8).gif().toBuffer()],
  ['a TIFF', await picture(8, 8).tiff().toBuffer()],
  ['a PDF', '%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj'],
  ['a page', '<!doctype html><script>alert(1)</script>'],
  ['a HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic\0\0\0\x08meta')],
  ['nothing', ''],
  [
    'a page that begins as a JPEG',
    Buffer.concat([jpeg.subarray(0, 3), Buffer.from('<script>alert(1)</script>')]),
  ],
  ['half a JPEG', jpeg.subarray(0, jpeg.length / 2)],
  ['half a PNG', (await picture(800, 600).png().toBuffer()).subarray(0, 900)],
  ['a PNG that has less than it says', await lying(3000, 3000)],
] as const)('%s is no photo', async ([, bytes]) => {
  const { result, names } = await made(bytes);
  expect(result).toEqual({ refusal: 'unsupported_media' });
  expect(names).toEqual([]);
});

test('refuses more than 50 megapixels, whatever the file size', async () => {
  expect((await made(await lying(10_000, 10_000))).result).toEqual({ refusal: 'too_large' });
  expect((await made(await lying(65_000, 65_000))).result).toEqual({ refusal: 'too_large' });
});

test("refuses an image of one pixel's height", async () => {
  expect((await made(await lying(1, 65_536))).result).toEqual({ refusal: 'too_large' });
  expect((await made(await lying(65_536, 1))).result).toEqual({ refusal: 'too_large' });
});

test('ignores other chunks and further images of a file', async () => {
  const part = (name: string, data: Buffer) => {
    const whole = Buffer.alloc(12 + data.length);
    whole.writeUInt32BE(data.length, 0);
    whole.write(name, 4, 'latin1');
    data.copy(whole, 8);
    whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length);
    return whole;
  };
  const png = await picture(20, 20).png().toBuffer();
  // The head of a PNG is 33 bytes.
  const among = (...parts: Buffer[]) => Buffer.concat([png.subarray(0, 33), ...parts, png.subarray(33)]);
  const huge = Buffer.concat([Buffer.from('name\0\0', 'latin1'), deflateSync(Buffer.alloc(150_000_000))]);
  const pictures = { create: { width: 16, height: 16 * 2_000, channels: 3 as const, background: '#1030c0' } };
  const raw = await sharp(pictures).raw().toBuffer();
  const animated = sharp(raw, { raw: { width: 16, height: 16 * 2_000, channels: 3, pageHeight: 16 } });
  for (const bytes of [
    among(part('iCCP', huge)),
    among(part('zTXt', huge)),
    among(...Array.from({ length: 20_000 }, (_, n) => part('tEXt', Buffer.from(`${n}\0x`)))),
    await animated.webp({ effort: 0 }).toBuffer(),
  ]) {
    const { file, folder } = await place(bytes);
    const before = process.cpuUsage();
    expect((await createRenditions(file, folder)) as ProcessedPhoto).toMatchObject({
      renditions: [{ bytes: expect.any(Number) }],
    });
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000);
  }
});

test('runs in a separate process, which may crash', async () => {
  const { file, folder } = await place(jpeg);
  expect(await runImageWorker(file, folder)).toMatchObject({ renditions: [{ width: 480 }, { width: 800 }] });
});

test('a worker that the photo did not stop is interrupted', async () => {
  const { file, folder } = await place(jpeg);
  expect(await runImageWorker(file, folder, 1), 'it took too long').toBe('interrupted');
  expect(await runImageWorker(file, join(folder, 'nowhere')), 'it could not write').toBe('interrupted');
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = join(folder, 'node');
  expect(await runImageWorker(file, folder), 'it did not start').toBe('interrupted');
});

test('a worker that ends over a photo has crashed', async () => {
  const { file, folder } = await place(await picture(6_000, 6_000).png({ compressionLevel: 1 }).toBuffer());
  const result = runImageWorker(file, folder);
  const workerStarted = () => {
    const [worker] = childrenOf(process.pid).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder),
    );
    // It sets this after it has reported that it started.
    expect(readFileSync(`/proc/${worker}/oom_score_adj`, 'utf8').trim()).toBe('1000');
    process.kill(worker ?? 0, 'SIGSEGV');
  };
  await vi.waitFor(workerStarted, { timeout: 25_000 });
  expect(await result).toBe('crashed');
});

test('passes no key or address of this process to a worker', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const { file, folder } = await place(jpeg);
  const seen = join(folder, 'environment');
  const recorder = join(folder, 'recorder.cjs');
  await writeFile(recorder, `require('node:fs').writeFileSync(${JSON.stringify(seen)}, '')`);
  // Every process of Node that gets this variable runs the recorder.
  vi.stubEnv('NODE_OPTIONS', `--require=${recorder}`);
  expect(await runImageWorker(file, folder)).toMatchObject({ renditions: [{ width: 480 }, { width: 800 }] });
  await expect(readFile(seen)).rejects.toThrow('ENOENT');
});

test.for([
  ['memory', 'process.memoryUsage.rss = () => 1_200 * 1024 * 1024'],
  ['processor time', 'process.cpuUsage = () => ({ user: 31_000_000, system: 0 })'],
] as const)('a worker gives up when it has used too much %s', async ([, usage]) => {
  // Takes long enough that the worker checks its usage meanwhile.
  const { file, folder } = await place(await picture(6_000, 6_000).png({ compressionLevel: 1 }).toBuffer());
  const program = resolve('src/lib/server/image-processing/image-worker.ts');
  const worker = fork(program, [file, folder], {
    env: { PATH: process.env.PATH },
    execArgv: ['--import', `data:text/javascript,${encodeURIComponent(usage)}`],
  });
  const reports: unknown[] = [];
  worker.on('message', (report) => reports.push(report));
  await once(worker, 'close');
  expect(reports).toEqual(['started', { refusal: 'too_large' }]);
});
