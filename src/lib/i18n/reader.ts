import { reader as en } from './en/reader.ts';
import { spoken } from './messages.ts';

export const reader = spoken('reader', en);
