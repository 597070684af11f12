import { site as en } from './en/site.ts';
import { spoken } from './spoken.ts';

export const site = spoken('site', en);
