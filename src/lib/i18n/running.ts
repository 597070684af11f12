import { running as en } from './en/running.ts';
import { spoken } from './messages.ts';

export const running = spoken('running', en);
