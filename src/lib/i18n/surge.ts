import { surge as en } from './en/surge.ts';
import { spoken } from './messages.ts';

export const surge = spoken('surge', en);
