import { ownTips as en } from './en/own-tips.ts';
import { spoken } from './spoken.ts';

export const ownTips = spoken('ownTips', en);
