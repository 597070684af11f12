import { feed as en } from './en/feed.ts';
import { spoken } from './spoken.ts';

export const feed = spoken('feed', en);
