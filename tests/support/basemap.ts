import { gzipSync } from 'node:zlib';
import { PbfWriter } from 'pbf';
import { Compression, TileType, zxyToTileId } from 'pmtiles';

/** A feature of a vector tile. Coordinates are from 0 to 4096. */
export type TileFeature = {
  layer: string;
  type: 'point' | 'line' | 'polygon';
  coordinates: [x: number, y: number][];
  properties?: Record<string, string | number>;
  /** Replaces the encoded coordinates. */
  geometry?: number[];
};

const TYPES = { point: 1, line: 2, polygon: 3 };
/** Encodes a coordinate, and a command with its repetitions. */
const zigzag = (value: number) => (value << 1) ^ (value >> 31);
export const command = (id: number, count: number) => (id & 7) | (count << 3);

function geometryOf({ type, coordinates, geometry }: TileFeature): number[] {
  if (geometry) return geometry;
  let [x, y] = [0, 0];
  const steps = coordinates.map(([toX, toY]) => {
    const step = [zigzag(toX - x), zigzag(toY - y)];
    [x, y] = [toX, toY];
    return step;
  });
  const [first = [], ...rest] = steps;
  if (type === 'point') return [command(1, 1), ...first];
  return [
    command(1, 1),
    ...first,
    command(2, rest.length),
    ...rest.flat(),
    ...(type === 'polygon' ? [command(7, 1)] : []),
  ];
}

/** Writes a vector tile (Mapbox Vector Tile 2.1). */
export function vectorTile(features: TileFeature[]): Uint8Array {
  const pbf = new PbfWriter();
  for (const name of new Set(features.map(({ layer }) => layer))) {
    const own = features.filter(({ layer }) => layer === name);
    const keys = [...new Set(own.flatMap(({ properties = {} }) => Object.keys(properties)))];
    const values = own.flatMap(({ properties = {} }) => Object.values(properties));
    pbf.writeMessage(
      3,
      (_, layer) => {
        layer.writeVarintField(15, 2);
        layer.writeStringField(1, name);
        for (const feature of own) {
          const pairs = Object.entries(feature.properties ?? {});
          layer.writeMessage(
            2,
            (_, message) => {
              message.writePackedVarint(
                2,
                pairs.flatMap(([key, value]) => [keys.indexOf(key), values.indexOf(value)]),
              );
              message.writeVarintField(3, TYPES[feature.type]);
              message.writePackedVarint(4, geometryOf(feature));
            },
            null,
          );
        }
        for (const key of keys) layer.writeStringField(3, key);
        for (const value of values) {
          layer.writeMessage(
            4,
            (_, message) => {
              if (typeof value === 'string') message.writeStringField(1, value);
              else message.writeVarintField(5, value);
            },
            null,
          );
        }
        layer.writeVarintField(5, 4096);
      },
      null,
    );
  }
  return pbf.finish();
}

/** An entry of a directory. With a run length of 0 it refers to another directory. */
type Entry = { tileId: number; offset: number; length: number; runLength: number };

/** Writes a directory of PMTiles. @param count the number of entries that it claims to have */
export function directory(entries: Entry[], count = entries.length): Uint8Array {
  const pbf = new PbfWriter();
  pbf.writeVarint(count);
  for (const [index, { tileId }] of entries.entries()) {
    pbf.writeVarint(tileId - (entries[index - 1]?.tileId ?? 0));
  }
  for (const { runLength } of entries) pbf.writeVarint(runLength);
  for (const { length } of entries) pbf.writeVarint(length);
  for (const { offset } of entries) pbf.writeVarint(offset + 1);
  return pbf.finish();
}

type Tile = { z: number; x: number; y: number; data: Uint8Array };

type Parts = {
  tiles: Tile[];
  /** Replaces the directory. */
  root?: Uint8Array;
  /** The directories that the root refers to. */
  leaves?: Uint8Array;
  /** Changes the finished header. */
  header?(view: DataView): void;
};

const HEADER_BYTES = 127;
const EVERYWHERE = [-1_800_000_000, -850_000_000, 1_800_000_000, 850_000_000];

/** Writes a PMTiles file (version 3) with compressed tiles of the whole world. */
export function pmtiles({ tiles, root, leaves = new Uint8Array(), header }: Parts): Uint8Array {
  const packed = tiles
    .map(({ z, x, y, data }) => ({ tileId: zxyToTileId(z, x, y), data: gzipSync(data) }))
    .toSorted((a, b) => a.tileId - b.tileId);
  let offset = 0;
  const entries = packed.map(({ tileId, data }) => {
    const entry = { tileId, offset, length: data.length, runLength: 1 };
    offset += data.length;
    return entry;
  });
  const rootBytes = gzipSync(root ?? directory(entries));
  const leafBytes = leaves.length > 0 ? gzipSync(leaves) : leaves;
  const head = new Uint8Array(HEADER_BYTES);
  const view = new DataView(head.buffer);
  head.set(new TextEncoder().encode('PMTiles'));
  view.setUint8(7, 3);
  const leafOffset = HEADER_BYTES + rootBytes.length;
  const sections = [
    HEADER_BYTES,
    rootBytes.length,
    leafOffset,
    0,
    leafOffset,
    leafBytes.length,
    leafOffset + leafBytes.length,
    offset,
  ];
  for (const [index, value] of sections.entries()) view.setBigUint64(8 + 8 * index, BigInt(value), true);
  view.setUint8(97, Compression.Gzip);
  view.setUint8(98, Compression.Gzip);
  view.setUint8(99, TileType.Mvt);
  view.setUint8(100, Math.min(0, ...tiles.map(({ z }) => z)));
  view.setUint8(101, Math.max(0, ...tiles.map(({ z }) => z)));
  for (const [index, value] of EVERYWHERE.entries()) view.setInt32(102 + 4 * index, value, true);
  header?.(view);
  return Buffer.concat([head, rootBytes, leafBytes, ...packed.map(({ data }) => data)]);
}
