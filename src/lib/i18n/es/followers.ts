import { feed } from './feed.ts';
import { ownTips } from './own-tips.ts';
import { states } from './states.ts';
import { tips } from './tips.ts';

/** Spanish messages of the islands on public pages. */
export const spanish = { feed, ownTips, states, tips };
