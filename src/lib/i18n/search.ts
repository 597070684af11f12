import { search as en } from './en/search.ts';
import { localized } from './messages.ts';

export const search = localized('search', en);
