import { LIMITS } from '../limits.ts';

/** A title made fit to stand in a URL. The database says whether it will do. */
export function slugFrom(title: string): string {
  return title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LIMITS.slug_max)
    .replace(/^-|-$/g, '');
}
