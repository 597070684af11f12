import { running as en } from './en/running.ts';
import { spoken } from './spoken.ts';

export const running = spoken('running', en);
