import { corrections as en } from './en/corrections.ts';
import { localized } from './messages.ts';

export const corrections = localized('corrections', en);
