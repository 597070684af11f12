import { running as en } from './en/running.ts';
import { localized } from './messages.ts';

export const running = localized('running', en);
