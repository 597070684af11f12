import { ownTips as en } from './en/own-tips.ts';
import { localized } from './messages.ts';

export const ownTips = localized('ownTips', en);
