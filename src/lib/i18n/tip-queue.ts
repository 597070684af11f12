import { tipQueue as en } from './en/tip-queue.ts';
import { spoken } from './messages.ts';

export const tipQueue = spoken('tipQueue', en);
