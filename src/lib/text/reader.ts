import { reader as en } from './en/reader.ts';
import { spoken } from './spoken.ts';

export const reader = spoken('reader', en);
