import { search as en } from './en/search.ts';
import { spoken } from './messages.ts';

export const search = spoken('search', en);
