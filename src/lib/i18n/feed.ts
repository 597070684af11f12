import { feed as en } from './en/feed.ts';
import { spoken } from './messages.ts';

export const feed = spoken('feed', en);
