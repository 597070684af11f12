import { composer as en } from './en/composer.ts';
import { spoken } from './spoken.ts';

export const composer = spoken('composer', en);
