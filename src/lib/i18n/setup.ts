import { setup as en } from './en/setup.ts';
import { spoken } from './messages.ts';

export const setup = spoken('setup', en);
