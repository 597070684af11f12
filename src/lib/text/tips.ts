import { tips as en } from './en/tips.ts';
import { spoken } from './spoken.ts';

export const tips = spoken('tips', en);
