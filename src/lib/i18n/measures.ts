import type { MediaFile } from '../domain/media-files.ts';
import type { Language } from './language.ts';
import { formatNumber } from './plural.ts';

/** Returns a length as players show it: `1:34`, or `1:02:05` from an hour on. */
export function playingTime(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const pad = (part: number) => `${part}`.padStart(2, '0');
  return `${hours > 0 ? `${hours}:${pad(minutes)}` : minutes}:${pad(seconds % 60)}`;
}

/**
 * Formats the length and the size of a file: `1:34, 12 MB`. Megabytes are those of MAX_MEDIA_BYTES. Below 10 MB the size
 * has one decimal.
 */
export function formatMeasures({ bytes, seconds }: MediaFile, language: Language): string {
  const megabytes = Math.max(0.1, bytes / 1024 ** 2);
  const rounded = megabytes < 10 ? Math.round(megabytes * 10) / 10 : Math.round(megabytes);
  const size = `${formatNumber(rounded, language)} MB`;
  return seconds ? `${playingTime(seconds)}, ${size}` : size;
}
