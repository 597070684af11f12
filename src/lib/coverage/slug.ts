import { LIMITS } from '../limits.ts';

/** Whether this can be a slug at all: what cannot is not asked for. */
export function isSlug(text: string): boolean {
  const fits = text.length >= LIMITS.slug_min && text.length <= LIMITS.slug_max;
  return fits && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);
}

/**
 * A slug made of a headline: lower case, without accents, cut between words. It may be too short, or taken: the
 * database says whether it will do.
 */
export function suggestedSlug(headline: string): string {
  const words = headline
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  let slug = '';
  for (const word of words) {
    const longer = slug ? `${slug}-${word}` : word.slice(0, LIMITS.slug_max);
    if (longer.length > LIMITS.slug_max) break;
    slug = longer;
  }
  return slug;
}
