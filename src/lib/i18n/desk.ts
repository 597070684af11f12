import { desk as en } from './en/desk.ts';
import { spoken } from './messages.ts';

export const desk = spoken('desk', en);
