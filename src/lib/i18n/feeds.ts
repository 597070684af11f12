import { feeds as en } from './en/feeds.ts';
import { spoken } from './messages.ts';

export const feeds = spoken('feeds', en);
