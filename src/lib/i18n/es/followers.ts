import { feed } from './feed.ts';
import { ownTips } from './own-tips.ts';
import { states } from './states.ts';
import { tips } from './tips.ts';

/** What the islands of readers' pages say in Spanish. */
export const spanish = { feed, ownTips, states, tips };
