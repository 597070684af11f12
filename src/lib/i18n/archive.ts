import { archive as en } from './en/archive.ts';
import { localized } from './messages.ts';

export const archive = localized('archive', en);
