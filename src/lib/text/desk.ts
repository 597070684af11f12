import { desk as en } from './en/desk.ts';
import { spoken } from './spoken.ts';

export const desk = spoken('desk', en);
