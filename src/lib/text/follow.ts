import { follow as en } from './en/follow.ts';
import { spoken } from './spoken.ts';

export const follow = spoken('follow', en);
