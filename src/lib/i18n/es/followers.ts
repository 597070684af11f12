import { errors, quoting } from './errors.ts';
import { feed } from './feed.ts';
import { ownTips } from './own-tips.ts';
import { states } from './states.ts';
import { tips } from './tips.ts';

/** Spanish messages of the islands on public pages. */
export const spanish = { language: 'es' as const, errors, feed, ownTips, quoting, states, tips };
