import { tips as en } from './en/tips.ts';
import { spoken } from './messages.ts';

export const tips = spoken('tips', en);
