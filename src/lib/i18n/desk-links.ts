import { deskLinks as en } from './en/desk-links.ts';
import { spoken } from './messages.ts';

export const deskLinks = spoken('deskLinks', en);
