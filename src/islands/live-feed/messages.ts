import { feed } from '../../lib/i18n/en/feed.ts';
import { states } from '../../lib/i18n/en/states.ts';
import { islandMessages } from '../../lib/i18n/messages.ts';

/** Returns the messages of the live feed in a language. */
export const feedMessages = islandMessages({ feed, states });

export type FeedMessages = ReturnType<typeof feedMessages>;
