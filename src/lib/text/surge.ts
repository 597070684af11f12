import { surge as en } from './en/surge.ts';
import { spoken } from './spoken.ts';

export const surge = spoken('surge', en);
