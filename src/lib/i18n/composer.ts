import { composer as en } from './en/composer.ts';
import { spoken } from './messages.ts';

export const composer = spoken('composer', en);
