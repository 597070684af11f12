import { deskPhotos as en } from './en/desk-photos.ts';
import { localized } from './messages.ts';

export const deskPhotos = localized('deskPhotos', en);

/**
 * Returns the sentence for a rejected photo.
 * @param code error code
 */
export function photoRefusal(code: string | null): string {
  const sentences: Record<string, string> = deskPhotos.refusals;
  return sentences[code ?? ''] ?? deskPhotos.refusals.internal;
}
