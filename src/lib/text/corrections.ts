import { corrections as en } from './en/corrections.ts';
import { spoken } from './spoken.ts';

export const corrections = spoken('corrections', en);
