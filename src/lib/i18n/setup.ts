import { setup as en } from './en/setup.ts';
import { localized } from './messages.ts';

export const setup = localized('setup', en);
