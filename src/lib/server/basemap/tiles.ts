import { type FileHandle, open } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { Compression, PMTiles, type RangeResponse, type Source, TileType } from 'pmtiles';

/** The file is no basemap, or contradicts itself. */
class BasemapError extends Error {
  override name = 'BasemapError';
}

/** Largest part of a file that is read at once. Real directories and tiles have about 100 KB. */
const MAX_READ_BYTES = 4 * 1024 * 1024;
/** Largest size of a directory or tile after decompression. */
const MAX_UNPACKED_BYTES = 8 * 1024 * 1024;

/** Reads parts of the file. Offsets and lengths come from the file itself, so they are checked. */
const sourceOf = (file: FileHandle, size: number): Source => ({
  getKey: () => 'basemap',
  async getBytes(offset, length): Promise<RangeResponse> {
    // The library first reads the header together with what may follow it.
    const end = offset === 0 ? Math.min(length, size) : offset + length;
    if (!(offset >= 0 && end > offset && end <= size && end - offset <= MAX_READ_BYTES)) {
      throw new BasemapError('It refers to data outside of the file, or to too much at once.');
    }
    const data = new Uint8Array(end - offset);
    const { bytesRead } = await file.read(data, 0, data.length, offset);
    if (bytesRead < data.length) throw new BasemapError('It ends too early.');
    return { data: data.buffer };
  },
});

async function decompress(data: ArrayBuffer, compression: Compression): Promise<ArrayBuffer> {
  if (compression === Compression.None || compression === Compression.Unknown) return data;
  const options = { maxOutputLength: MAX_UNPACKED_BYTES };
  const unpack =
    compression === Compression.Gzip
      ? gunzipSync
      : compression === Compression.Brotli
        ? brotliDecompressSync
        : zstdDecompressSync;
  const { buffer, byteOffset, byteLength } = unpack(new Uint8Array(data), options);
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}

/** An area in degrees. */
export type Bounds = { west: number; south: number; east: number; north: number };

/** Vector tiles of an area, by zoom level. */
export type Tiles = {
  bounds: Bounds;
  minZoom: number;
  maxZoom: number;
  /** @returns null where the file has no tile */
  read(zoom: number, x: number, y: number): Promise<VectorTile | null>;
};

/** Zoom levels that a file may have. */
const MAX_TILE_ZOOM = 22;

/**
 * Opens a PMTiles file (version 3) with vector tiles.
 * @throws BasemapError or an error of a library if it is not one
 */
export async function openTiles(path: string): Promise<Tiles> {
  const file = await open(path);
  const { size } = await file.stat();
  const archive = new PMTiles(sourceOf(file, size), undefined, decompress);
  const { tileType, minZoom, maxZoom, minLon, minLat, maxLon, maxLat } = await archive.getHeader();
  if (tileType !== TileType.Mvt) throw new BasemapError('It has no vector tiles.');
  const isArea = minLon < maxLon && minLat < maxLat && Math.abs(minLat) <= 90 && Math.abs(maxLat) <= 90;
  if (!isArea || minZoom > maxZoom || maxZoom > MAX_TILE_ZOOM) {
    throw new BasemapError('Its header names no area or zoom levels.');
  }
  return {
    bounds: { west: minLon, south: minLat, east: maxLon, north: maxLat },
    minZoom,
    maxZoom,
    async read(zoom, x, y) {
      const tile = await archive.getZxy(zoom, x, y);
      return tile ? new VectorTile(new PbfReader(tile.data)) : null;
    },
  };
}

/** What a map shows, from the ground up. The names are classes of the picture's styles. */
export const AREAS = ['green', 'water', 'building'] as const;
export const LINES = ['path', 'rail', 'street', 'road', 'highway'] as const;
export type Area = (typeof AREAS)[number];
export type Line = (typeof LINES)[number];

type Properties = Record<string, number | string | boolean>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The kind of a feature: `kind` in Protomaps files, `class` in OpenMapTiles files. */
const kindOf = (properties: Properties): string =>
  text(properties.kind) || text(properties.class) || text(properties['pmap:kind']);

const GREEN = new Set([
  'allotments',
  'cemetery',
  'farmland',
  'forest',
  'garden',
  'golf_course',
  'grass',
  'grassland',
  'meadow',
  'nature_reserve',
  'national_park',
  'park',
  'pitch',
  'playground',
  'protected_area',
  'recreation_ground',
  'scrub',
  'village_green',
  'wood',
]);

/** Layers of areas in both schemas. Other layers are not drawn. */
export function areaOf(layer: string, properties: Properties): Area | undefined {
  if (layer === 'water') return 'water';
  if (layer === 'buildings' || layer === 'building') return 'building';
  if (layer === 'park') return 'green';
  const isGround = layer === 'landuse' || layer === 'landcover';
  return isGround && GREEN.has(kindOf(properties)) ? 'green' : undefined;
}

const LINE_KINDS: Record<string, Line> = {
  highway: 'highway',
  motorway: 'highway',
  trunk: 'highway',
  major_road: 'road',
  primary: 'road',
  secondary: 'road',
  tertiary: 'road',
  medium_road: 'road',
  minor_road: 'street',
  minor: 'street',
  residential: 'street',
  service: 'street',
  unclassified: 'street',
  path: 'path',
  track: 'path',
  pedestrian: 'path',
  rail: 'rail',
};

export function lineOf(layer: string, properties: Properties): Line | undefined {
  if (layer !== 'roads' && layer !== 'transportation') return undefined;
  const kind = kindOf(properties);
  return Object.hasOwn(LINE_KINDS, kind) ? LINE_KINDS[kind] : undefined;
}

/** Rivers and streams are lines too. */
export const isRiver = (layer: string): boolean => layer === 'waterway' || layer === 'water';

/** Maximum length of a name on a map, in characters. */
const MAX_NAME_LENGTH = 40;

/** The name of a feature in its own language; '' for none. */
export function nameOf(properties: Properties): string {
  const name = text(properties.name)
    .replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim();
  return [...name].length > MAX_NAME_LENGTH ? '' : name;
}

export const hasStreetNames = (layer: string): boolean =>
  layer === 'roads' || layer === 'transportation_name';

const PLACE_RANKS = ['city', 'town', 'locality', 'village', 'suburb', 'neighbourhood', 'quarter', 'hamlet'];

/** Rank of a place by its size, the largest first; undefined for features that are no place. */
export function placeRank(layer: string, properties: Properties): number | undefined {
  if (layer !== 'places' && layer !== 'place') return undefined;
  const rank = PLACE_RANKS.indexOf(kindOf(properties));
  if (rank < 0) return undefined;
  // Protomaps files call most places `locality`, and tell them apart by their population.
  const population = Number(properties.population_rank);
  return rank - (Number.isFinite(population) ? Math.min(Math.max(population, 0), 20) / 21 : 0);
}
