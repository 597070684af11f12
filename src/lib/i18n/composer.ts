import { composer as en } from './en/composer.ts';
import { localized } from './messages.ts';

export const composer = localized('composer', en);
