import { errors, quoting } from './errors.ts';
import { feed, states } from './live-feed.ts';
import { ownTips } from './own-tips.ts';
import { tips } from './tips.ts';

/** Spanish messages of the islands on readers' pages, which their browsers load. */
export const spanish = { language: 'es' as const, errors, feed, ownTips, quoting, states, tips };
