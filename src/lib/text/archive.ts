import { archive as en } from './en/archive.ts';
import { spoken } from './spoken.ts';

export const archive = spoken('archive', en);
