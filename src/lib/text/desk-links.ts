import { deskLinks as en } from './en/desk-links.ts';
import { spoken } from './spoken.ts';

export const deskLinks = spoken('deskLinks', en);
