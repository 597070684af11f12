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
