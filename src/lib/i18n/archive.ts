import { archive as en } from './en/archive.ts';
import { spoken } from './messages.ts';

export const archive = spoken('archive', en);
