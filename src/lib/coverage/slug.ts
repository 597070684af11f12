import { LIMITS } from '../limits.ts';

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
