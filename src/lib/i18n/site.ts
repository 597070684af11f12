import { site as en } from './en/site.ts';
import { spoken } from './messages.ts';

export const site = spoken('site', en);
