import { settings as en } from './en/settings.ts';
import { spoken } from './spoken.ts';

export const settings = spoken('settings', en);
