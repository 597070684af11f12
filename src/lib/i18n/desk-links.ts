import { deskLinks as en } from './en/desk-links.ts';
import { localized } from './messages.ts';

export const deskLinks = localized('deskLinks', en);
