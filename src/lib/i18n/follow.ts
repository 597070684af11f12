import { follow as en } from './en/follow.ts';
import { spoken } from './messages.ts';

export const follow = spoken('follow', en);
