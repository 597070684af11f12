import { takeaway as en } from './en/export.ts';
import { localized } from './messages.ts';

export const takeaway = localized('takeaway', en);
