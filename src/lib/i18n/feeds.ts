import { feeds as en } from './en/feeds.ts';
import { localized } from './messages.ts';

export const feeds = localized('feeds', en);
