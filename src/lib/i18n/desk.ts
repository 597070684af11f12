import { desk as en } from './en/desk.ts';
import { localized } from './messages.ts';

export const desk = localized('desk', en);
