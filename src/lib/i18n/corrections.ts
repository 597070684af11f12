import { corrections as en } from './en/corrections.ts';
import { spoken } from './messages.ts';

export const corrections = spoken('corrections', en);
