import { follow as en } from './en/follow.ts';
import { localized } from './messages.ts';

export const follow = localized('follow', en);
