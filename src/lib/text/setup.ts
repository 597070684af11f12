import { setup as en } from './en/setup.ts';
import { spoken } from './spoken.ts';

export const setup = spoken('setup', en);
