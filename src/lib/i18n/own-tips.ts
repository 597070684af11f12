import { ownTips as en } from './en/own-tips.ts';
import { spoken } from './messages.ts';

export const ownTips = spoken('ownTips', en);
