import { reader as en } from './en/reader.ts';
import { localized } from './messages.ts';

export const reader = localized('reader', en);
