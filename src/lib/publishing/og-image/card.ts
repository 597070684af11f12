import { createHash } from 'node:crypto';
import type { Site } from '../../data/site.ts';
import { DEFAULT_ACCENT } from '../../domain/colours.ts';
import { livePath } from '../../domain/coverages.ts';
import { clockOf, hasEnded, type ReaderCoverage } from '../../domain/reader-coverage.ts';
import { dayName, fullTime } from '../../domain/time.ts';
import { directionOf } from '../../i18n/language.ts';
import { states } from '../../i18n/states.ts';

/** The size of a drawn picture, in pixels: what places that show links ask for. */
export const CARD_SIZE = { width: 1200, height: 630 } as const;

/** All that is drawn on a card, and nothing else: two that are equal are one picture. */
export type Card = {
  /** The newsroom's. */
  name: string;
  kicker: string;
  headline: string;
  /** How the coverage stands, in words. */
  state: string;
  isLive: boolean;
  /** The colour of what is live: `#rrggbb`. */
  accent: string;
  direction: 'ltr' | 'rtl';
};

/** A card as pages name it where they are shared. */
export type DrawnCard = { path: string; digest: string; alt: string };

/** Raised when the same words are drawn otherwise. */
const HAND = 1;

export const cardPath = (slug: string): string => `${livePath(slug)}/card.png`;
export const SITE_CARD = '/card.png';

/** The card of a coverage, in the language that is spoken now. */
export function coverageCard(coverage: ReaderCoverage, site: Site): Card {
  const { kicker, headline, state, language, starts_at, ended_at } = coverage;
  const clock = clockOf(coverage);
  const when =
    state === 'scheduled' && starts_at
      ? fullTime(starts_at, clock)
      : hasEnded(state) && ended_at
        ? dayName(ended_at, clock)
        : '';
  return {
    name: site.name,
    kicker,
    headline,
    state: [states[state], when].filter(Boolean).join(' · '),
    isLive: state === 'live',
    accent: site.accent || DEFAULT_ACCENT.light,
    direction: directionOf(language),
  };
}

/** The card of a newsroom: its name, and what it says of itself. */
export function siteCard(site: Site): Card {
  return {
    name: '',
    kicker: '',
    headline: site.name,
    state: site.tagline,
    isLive: false,
    accent: site.accent || DEFAULT_ACCENT.light,
    direction: directionOf(site.language),
  };
}

export function digestOf(card: Card): string {
  return createHash('sha256')
    .update(JSON.stringify([HAND, card]))
    .digest('base64url')
    .slice(0, 8);
}

/** Where a card is found, by what is drawn on it: others keep pictures for long, and ask again for another address. */
export function drawnCard(path: string, card: Card): DrawnCard {
  const alt = [card.kicker, card.headline, card.name].filter(Boolean).join(' · ');
  const digest = digestOf(card);
  return { path: `${path}?v=${digest}`, digest, alt };
}
