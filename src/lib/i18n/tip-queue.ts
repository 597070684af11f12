import { tipQueue as en } from './en/tip-queue.ts';
import { localized } from './messages.ts';

export const tipQueue = localized('tipQueue', en);
