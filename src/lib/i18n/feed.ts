import { feed as en } from './en/feed.ts';
import { localized } from './messages.ts';

export const feed = localized('feed', en);
