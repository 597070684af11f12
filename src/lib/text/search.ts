import { search as en } from './en/search.ts';
import { spoken } from './spoken.ts';

export const search = spoken('search', en);
