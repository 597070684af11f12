import type { MediaFormat } from '../../lib/domain/media-files.ts';

/*
 * Removes the place of a recording from a file before it is uploaded. Phones write it into videos, and it would be
 * published with the file. Boxes are those of ISO/IEC 14496-12; the bytes of each one become a `free` box, so that all
 * other bytes stay where they are.
 */

/** Part of a file or of a box: a header with size and type, and a body. Positions are bytes of the array or file. */
type Box = { type: string; body: number; end: number };

/** Boxes of a place: of Apple and Android, of 3GPP, and metadata as XMP, in which cameras also write it. */
const PLACE_BOXES = new Set(['\xa9xyz', 'loci', 'XMP_']);
const CONTAINERS = new Set(['moov', 'trak', 'udta', 'meta']);
/** Boxes at the top of a file that can hold a place. */
const METADATA_BOXES = new Set(['moov', 'meta', 'udta', 'uuid']);
/** Identifier of a `uuid` box with XMP (XMP specification, part 3). */
const XMP_ID = 'be7acfcb97a942e89c71999491e3afac';

/** Maximum size of metadata that is read into memory, in bytes. An hour of video has about 3 MB. */
const MAX_METADATA_BYTES = 32 * 1024 * 1024;
/** Maximum number of boxes that are read at the top of a file. A recording in fragments has thousands. */
const MAX_BOXES = 20_000;
const HEADER_BYTES = 16;

/**
 * Returns a file without the place of the recording. It has the same length, and equal files give equal results, so that
 * an upload can be continued. Formats other than MP4 are returned as they are.
 * @throws DOMException when the file cannot be read
 */
export async function withoutPlace(file: Blob, format: MediaFormat): Promise<Blob> {
  if (format !== 'mp4' && format !== 'm4a') return file;
  const parts: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  let [at, copied] = [0, 0];
  for (let count = 0; count < MAX_BOXES; count++) {
    const box = boxAt(await bytesOf(file, at, at + HEADER_BYTES), 0, file.size - at);
    if (!box) break;
    const end = at + box.end;
    if (METADATA_BOXES.has(box.type) && box.end <= MAX_METADATA_BYTES) {
      const bytes = await bytesOf(file, at, end);
      if (removePlaces(bytes, 0, bytes.length)) {
        parts.push(file.slice(copied, at), bytes);
        copied = end;
      }
    }
    at = end;
  }
  return copied === 0 ? file : new Blob([...parts, file.slice(copied)], { type: file.type });
}

const bytesOf = async (file: Blob, start: number, end: number) =>
  new Uint8Array(await file.slice(start, end).arrayBuffer());

/**
 * Reads the header of a box.
 * @param limit end of the surrounding box or file
 * @returns undefined if there is no whole box
 */
function boxAt(bytes: Uint8Array, start: number, limit: number): Box | undefined {
  if (limit - start < 8 || bytes.length - start < 8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const type = textOf(bytes, start + 4, start + 8);
  const size = view.getUint32(start);
  // 0: to the end. 1: the size is in the next eight bytes.
  if (size === 1 && bytes.length - start < 16) return undefined;
  const isLarge = size === 1;
  const length = isLarge ? Number(view.getBigUint64(start + 8)) : size || limit - start;
  const headerLength = isLarge ? 16 : 8;
  if (length < headerLength || length > limit - start) return undefined;
  return { type, body: start + headerLength, end: start + length };
}

/** Returns the boxes of a range. Ends at the first broken one. */
function* boxesIn(bytes: Uint8Array, from: number, end: number): Generator<Box & { start: number }> {
  for (let start = from, box = boxAt(bytes, start, end); box; start = box.end, box = boxAt(bytes, start, end))
    yield { ...box, start };
}

/** Empties all boxes of a place in a range. Returns whether there was one. */
function removePlaces(bytes: Uint8Array, from: number, end: number): boolean {
  let isChanged = false;
  let placeKeys = new Set<number>();
  for (const box of boxesIn(bytes, from, end)) {
    if (PLACE_BOXES.has(box.type) || isXmp(bytes, box)) {
      empty(bytes, box);
      isChanged = true;
    } else if (box.type === 'keys') placeKeys = placeKeysOf(bytes, box);
    else if (box.type === 'ilst') isChanged = removeItems(bytes, box, placeKeys) || isChanged;
    else if (CONTAINERS.has(box.type))
      isChanged = removePlaces(bytes, contentStart(bytes, box), box.end) || isChanged;
  }
  return isChanged;
}

/** Removes the items of a list whose key is about a place. The type of an item is the number of its key. */
function removeItems(bytes: Uint8Array, list: Box, placeKeys: ReadonlySet<number>): boolean {
  let isChanged = false;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (const item of boxesIn(bytes, list.body, list.end)) {
    if (!PLACE_BOXES.has(item.type) && !placeKeys.has(view.getUint32(item.start + 4))) continue;
    empty(bytes, item);
    isChanged = true;
  }
  return isChanged;
}

/** Returns the numbers of the keys that are about a place, such as `com.apple.quicktime.location.ISO6709`. */
function placeKeysOf(bytes: Uint8Array, { body, end }: Box): Set<number> {
  const keys = [...boxesIn(bytes, body + 8, end)];
  return new Set(
    keys.flatMap((key, index) => (/location/i.test(textOf(bytes, key.body, key.end)) ? [index + 1] : [])),
  );
}

/** QuickTime's `meta` begins with its first box. That of MP4 has four more bytes, for its version. */
function contentStart(bytes: Uint8Array, { type, body }: Box): number {
  return type === 'meta' && textOf(bytes, body + 4, body + 8) !== 'hdlr' ? body + 4 : body;
}

const isXmp = (bytes: Uint8Array, { type, body }: Box): boolean =>
  type === 'uuid' &&
  [...bytes.subarray(body, body + 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('') === XMP_ID;

function empty(bytes: Uint8Array, { start, body, end }: Box & { start: number }): void {
  bytes.set(new TextEncoder().encode('free'), start + 4);
  bytes.fill(0, body, end);
}

/** Returns bytes as characters of the same number. */
const textOf = (bytes: Uint8Array, from: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(from, Math.min(end, from + 200)));
