import { surge as en } from './en/surge.ts';
import { localized } from './messages.ts';

export const surge = localized('surge', en);
