import { feeds as en } from './en/feeds.ts';
import { spoken } from './spoken.ts';

export const feeds = spoken('feeds', en);
