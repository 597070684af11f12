import { site as en } from './en/site.ts';
import { localized } from './messages.ts';

export const site = localized('site', en);
