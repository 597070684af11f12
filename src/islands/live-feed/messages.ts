import { feed, states } from '../../lib/i18n/en/live-feed.ts';
import { islandMessages } from '../../lib/i18n/messages.ts';

/** Returns the messages of the live feed in a language. */
export const feedMessages = islandMessages({ feed, states });

export type FeedMessages = ReturnType<typeof feedMessages>;
