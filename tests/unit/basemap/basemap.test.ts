import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { TileType, zxyToTileId } from 'pmtiles';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { log } from '../../../src/lib/data/log.ts';
import { serverBridge } from '../../../src/lib/data/server-bridge.ts';
import { SERVER } from '../../../src/lib/i18n/cli.ts';
import { startBasemap } from '../../../src/lib/server/basemap/basemap.server.ts';
import { command, directory, pmtiles, type TileFeature, vectorTile } from '../../support/basemap.ts';

const HALL = { latitude: 10, longitude: 20, zoom: 1 };

/** The world in one tile, in the layers of Protomaps and of OpenMapTiles. */
const FEATURES: TileFeature[] = [
  {
    layer: 'water',
    type: 'polygon',
    coordinates: [
      [0, 0],
      [1000, 0],
      [1000, 4096],
      [0, 4096],
    ],
  },
  {
    layer: 'landuse',
    type: 'polygon',
    coordinates: [
      [1500, 1500],
      [2500, 1500],
      [2500, 2500],
    ],
    properties: { kind: 'park' },
  },
  {
    layer: 'building',
    type: 'polygon',
    coordinates: [
      [2000, 2000],
      [2100, 2000],
      [2100, 2100],
    ],
  },
  { layer: 'pois', type: 'point', coordinates: [[2048, 2048]], properties: { name: 'Not drawn' } },
  {
    layer: 'roads',
    type: 'line',
    coordinates: [
      [0, 1200],
      [4000, 1300],
    ],
    properties: { kind: 'major_road', name: 'Quay <Street>' },
  },
  {
    layer: 'transportation',
    type: 'line',
    coordinates: [
      [2600, 0],
      [2600, 4000],
    ],
    properties: { class: 'minor' },
  },
  {
    layer: 'places',
    type: 'point',
    coordinates: [[1400, 2600]],
    properties: { kind: 'locality', name: 'Ostley & Hallam' },
  },
  {
    layer: 'place',
    type: 'point',
    coordinates: [[2900, 1500]],
    properties: { class: 'town', name: 'أستلي' },
  },
];
const WORLD = { z: 0, x: 0, y: 0, data: vectorTile(FEATURES) };
const FILE = pmtiles({ tiles: [WORLD] });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoppress-basemap-'));
  return () => rm(folder, { recursive: true });
});

/** Starts with a file. Returns the reasons for which it or a place was refused. */
async function start(
  content: Uint8Array | string,
  options = {},
): Promise<{ message: string; reason: unknown }[]> {
  const path = join(folder, 'file.pmtiles');
  await writeFile(path, content);
  const refusals: { message: string; reason: unknown }[] = [];
  const spy = vi.spyOn(log, 'error').mockImplementation((message, fields) => {
    refusals.push({ message, reason: (fields as { reason: unknown }).reason });
  });
  const stop = await startBasemap(path, options);
  onTestFinished(() => {
    stop();
    spy.mockRestore();
  });
  return refusals;
}

test('draws water, roads, buildings and names of a place, once', async () => {
  expect(await start(FILE)).toEqual([]);
  const picture = await serverBridge.basemap?.draw(HALL);
  expect(picture).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" .*<\/svg>$/);
  for (const name of ['green', 'water', 'building', 'street', 'road', 'edge']) {
    expect(picture).toContain(`<path class="${name}"`);
  }
  expect(picture).toContain('>Quay &lt;Street&gt;</text>');
  expect(picture).toContain('>Ostley &amp; Hallam</text>');
  expect(picture).toContain('>أستلي</text>');
  expect(picture).toContain('<circle class="pin"');
  expect(picture).toContain('@media (prefers-color-scheme:dark)');
  expect(picture).not.toMatch(/NaN|Infinity|Not drawn|<script|<image|href/);
  expect(await serverBridge.basemap?.draw({ ...HALL })).toBe(picture);
});

test('draws only places in the area of the file', async () => {
  await start(pmtiles({ tiles: [WORLD], header: (view) => view.setInt32(102, 500_000_000, true) }));
  expect(serverBridge.basemap?.covers(HALL)).toBe(false);
  expect(serverBridge.basemap?.covers({ latitude: 10, longitude: 60 })).toBe(true);
  expect(serverBridge.basemap?.covers({ latitude: 89, longitude: 60 })).toBe(false);
});

test('has no picture where a tile is missing, or where tiles are too small', async () => {
  const corner = { ...WORLD, z: 2, x: 0, y: 0 };
  const refusals = await start(pmtiles({ tiles: [corner], header: (view) => view.setUint8(100, 2) }));
  expect(await serverBridge.basemap?.draw({ ...HALL, zoom: 3 })).toBeNull();
  expect(await serverBridge.basemap?.draw({ latitude: 70, longitude: -150, zoom: 3 })).toContain('water');
  expect(await serverBridge.basemap?.draw({ latitude: 70, longitude: -150, zoom: 1 })).toBeNull();
  expect(refusals).toEqual([]);
});

test('draws the others when one map of several fails', async () => {
  const closing = { ...WORLD, z: 1, x: 0, y: 0, data: CLOSING };
  const hall = { ...WORLD, z: 1, x: 1, y: 0 };
  const refusals = await start(pmtiles({ tiles: [closing, hall], header: (view) => view.setUint8(100, 1) }), {
    timeoutMs: 4_000,
    heapMb: 64,
  });
  const places = [60, -60, 70].map((longitude) => ({ latitude: 70, longitude, zoom: 3 }));
  const drawn = await Promise.all(places.map((place) => serverBridge.basemap?.draw(place)));
  expect(drawn).toEqual([expect.stringContaining('water'), null, expect.stringContaining('water')]);
  expect(refusals).toEqual([{ message: SERVER.mapNotDrawn, reason: expect.any(String) }]);
});

const setSection = (index: number, value: bigint) => (view: DataView) =>
  view.setBigUint64(8 + 8 * index, value, true);

test.for<[string, Uint8Array | string]>([
  ['an empty file', ''],
  ['text', 'PMTiles, but only in name'.repeat(20)],
  ['a file of zeros', new Uint8Array(1_000_000)],
  ['a header that ends too early', FILE.slice(0, 100)],
  ['a root directory outside of the file', pmtiles({ tiles: [WORLD], header: setSection(0, 1n << 50n) })],
  [
    'pictures instead of vectors',
    pmtiles({ tiles: [WORLD], header: (view) => view.setUint8(99, TileType.Png) }),
  ],
  ['no area', pmtiles({ tiles: [WORLD], header: (view) => view.setInt32(110, -1_800_000_000, true) })],
  ['too many zoom levels', pmtiles({ tiles: [WORLD], header: (view) => view.setUint8(101, 200) })],
  ['a directory with more entries than bytes', pmtiles({ tiles: [WORLD], root: directory([], 2 ** 40) })],
  ['a directory that unpacks to a bomb', pmtiles({ tiles: [WORLD], root: new Uint8Array(64 * 1024 * 1024) })],
])('refuses %s at the start', async ([, content]) => {
  const refusals = await start(content, { timeoutMs: 4_000, heapMb: 64 });
  expect(refusals).toEqual([{ message: SERVER.basemapRefused, reason: expect.any(String) }]);
  expect(serverBridge.basemap).toBeUndefined();
});

test('refuses a file that is missing', async () => {
  const spy = vi.spyOn(log, 'error').mockImplementation(() => {});
  const stop = await startBasemap(join(folder, 'none.pmtiles'));
  expect(spy).toHaveBeenCalledWith(
    SERVER.basemapRefused,
    expect.objectContaining({ reason: expect.stringContaining('ENOENT') }),
  );
  spy.mockRestore();
  stop();
  expect(serverBridge.basemap).toBeUndefined();
});

const entry = (more: object) => ({
  tileId: zxyToTileId(0, 0, 0),
  offset: 0,
  length: 100,
  runLength: 1,
  ...more,
});
/** A leaf directory that refers to itself. Its own length depends on how it packs. */
const LOOP = directory([
  entry({ runLength: 0, length: gzipSync(directory([entry({ runLength: 0 })])).length }),
]);
/** A ring that is closed again and again. */
const CLOSING = vectorTile([
  {
    layer: 'water',
    type: 'polygon',
    coordinates: [],
    geometry: [command(1, 1), 0, 0, command(2, 1), 9, 9, command(7, 2 ** 27), 0],
  },
]);

test.for<[string, Uint8Array]>([
  ['a loop of directories', pmtiles({ tiles: [], root: LOOP, leaves: LOOP })],
  ['a tile outside of the file', pmtiles({ tiles: [], root: directory([entry({ offset: 1e12 })]) })],
  ['a tile with another length', pmtiles({ tiles: [WORLD], root: directory([entry({ length: 3 })]) })],
  ['a huge tile', pmtiles({ tiles: [WORLD], root: directory([entry({ length: 2 ** 31 })]) })],
  [
    'a tile that unpacks to a bomb',
    pmtiles({ tiles: [{ ...WORLD, data: new Uint8Array(64 * 1024 * 1024) }] }),
  ],
  [
    'a tile of noise',
    pmtiles({ tiles: [{ ...WORLD, data: Uint8Array.from({ length: 5_000 }, (_, n) => (n * 7919) % 251) }] }),
  ],
])('refuses to draw %s, and the file after three of them', async ([, content]) => {
  const refusals = await start(content, { timeoutMs: 4_000, heapMb: 64 });
  const draw = (longitude: number) => serverBridge.basemap?.draw({ ...HALL, longitude }) ?? null;
  expect(await draw(1)).toBeNull();
  expect(await draw(1)).toBeNull();
  expect(refusals.map(({ message }) => message)).toEqual([SERVER.mapNotDrawn]);
  expect(await draw(2)).toBeNull();
  expect(await draw(3)).toBeNull();
  expect(refusals.at(-1)?.message).toBe(SERVER.basemapRefused);
  expect(serverBridge.basemap).toBeUndefined();
});

test('survives a tile that uses up time and memory', async () => {
  const refusals = await start(pmtiles({ tiles: [{ ...WORLD, data: CLOSING }] }), {
    timeoutMs: 4_000,
    heapMb: 64,
  });
  expect(await serverBridge.basemap?.draw(HALL)).toBeNull();
  expect(refusals).toEqual([{ message: SERVER.mapNotDrawn, reason: SERVER.basemapTooSlow }]);
});
