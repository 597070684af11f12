import type { Body } from './body/blocks.ts';

/** Formats of files. */
export const MEDIA_FORMATS = ['mp4', 'webm', 'mp3', 'm4a'] as const;
export type MediaFormat = (typeof MEDIA_FORMATS)[number];

/** Type of each format, as servers and feeds name it, and what browsers call it. */
const FORMATS: Record<MediaFormat, { type: string; kind: 'video' | 'audio'; aliases?: string[] }> = {
  mp4: { type: 'video/mp4', kind: 'video' },
  webm: { type: 'video/webm', kind: 'video' },
  mp3: { type: 'audio/mpeg', kind: 'audio', aliases: ['audio/mp3'] },
  m4a: { type: 'audio/mp4', kind: 'audio', aliases: ['audio/x-m4a', 'audio/m4a'] },
};

/** Private bucket of the files. The name of an object is the id of its file. */
export const MEDIA_BUCKET = 'media';

/**
 * Maximum size of a file, 100 MB: the limit of the bucket in supabase/config.toml. A megabyte has 1,048,576 bytes, as for
 * the Supabase CLI and in the sizes that readers see.
 */
export const MAX_MEDIA_BYTES = 100 * 1024 * 1024;

/** Maximum length of a file in seconds. */
const MAX_SECONDS = 99_999;

/** Returns the length to register, in whole seconds; null if it is unknown, as that of a recording in progress. */
export const mediaSeconds = (duration: number): number | null =>
  duration > 0 && duration <= MAX_SECONDS ? Math.max(1, Math.round(duration)) : null;

/** State of a file. `path` is that of a ready file. `refusal_code` is an error code. */
export type MediaFileState = {
  id: string;
  state: 'uploading' | 'ready' | 'refused';
  refusal_code: string | null;
  path: string | null;
};

/** A video or audio file of the newsroom, as its path describes it. */
export type MediaFile = {
  id: string;
  format: MediaFormat;
  kind: 'video' | 'audio';
  /** Media type, such as `video/mp4`. */
  type: string;
  bytes: number;
  /** Length in seconds, if it is known. */
  seconds?: number;
};

/** Matches the stored paths of files. `private.is_media_file_path` accepts the same. */
const PATH =
  /^\/media\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([1-9]\d{0,8})(?:-([1-9]\d{0,4}))?\.(mp4|webm|mp3|m4a)$/;

/** Returns the file that a stored path describes; undefined for any other address. */
export function mediaFileOf(url: string): MediaFile | undefined {
  const [, id, bytes, seconds, format] = PATH.exec(url) ?? [];
  if (!id) return undefined;
  const { type, kind } = FORMATS[format as MediaFormat];
  return {
    id,
    format: format as MediaFormat,
    kind,
    type,
    bytes: Number(bytes),
    ...(seconds && { seconds: Number(seconds) }),
  };
}

/** Returns the stored paths of the files of a body, each once. */
export const mediaFilePaths = (body: Body): string[] => [
  ...new Set(body.flatMap((block) => (block.type === 'media' && mediaFileOf(block.url) ? [block.url] : []))),
];

/** Path of a file for staff, also before publication. */
export const deskMediaPath = (path: string): string => `/desk${path}`;

/** The types that the file input accepts. The server checks the content. */
export const MEDIA_TYPES = Object.values(FORMATS).flatMap(({ type, aliases = [] }) => [type, ...aliases]);

/** Whether a format is video or audio. */
export const kindOfFormat = (format: MediaFormat) => FORMATS[format].kind;

/** Media type of a format. */
export const typeOfFormat = (format: MediaFormat): string => FORMATS[format].type;

/** Returns the format of a file that a browser or a person named; undefined for other files. */
export function formatOfFile({ name, type }: { name: string; type: string }): MediaFormat | undefined {
  const byType = MEDIA_FORMATS.find((format) => {
    const known = FORMATS[format];
    return known.type === type || known.aliases?.includes(type);
  });
  return (
    byType ??
    (type === '' ? MEDIA_FORMATS.find((format) => name.toLowerCase().endsWith(`.${format}`)) : undefined)
  );
}

/** Bytes from the start of a file that `hasFormat` reads. */
export const MEDIA_HEAD_BYTES = 4096;

/**
 * Brands of MP4 files that browsers play: the base format, MPEG-4, AVC, Apple's and Adobe's. Pictures (HEIC, AVIF) and
 * QuickTime films have other brands.
 */
const MP4_BRAND = /^(?:iso[m2-9]|mp4[12]|avc1|M4[AVBP] |MSNV|dash|F4[VA] |mmp4)$/;

/**
 * Whether the first bytes of a file belong to this format (ISO/IEC 14496-12, RFC 8794 and WebM, ISO/IEC 11172-3). Video
 * and audio in MP4 share a container, so each passes as the other.
 */
export function hasFormat(format: MediaFormat, head: Uint8Array): boolean {
  const text = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to));
  switch (format) {
    case 'mp4':
    case 'm4a':
      return text(4, 8) === 'ftyp' && MP4_BRAND.test(text(8, 12));
    case 'webm':
      return text(0, 4) === '\x1a\x45\xdf\xa3' && text(4, 64).includes('webm');
    case 'mp3':
      return text(0, 3) === 'ID3' || isMp3Frame(head);
  }
}

/** Whether the bytes are the header of a frame of MPEG audio, layer III. AAC has the same mark with another layer. */
function isMp3Frame([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const isSynced = first === 0xff && (second & 0xe0) === 0xe0;
  const [version, layer] = [(second >> 3) & 3, (second >> 1) & 3];
  const [bitrate, rate] = [third >> 4, (third >> 2) & 3];
  return isSynced && version !== 1 && layer === 1 && bitrate !== 15 && bitrate !== 0 && rate !== 3;
}
