import { settings as en } from './en/settings.ts';
import { spoken } from './messages.ts';

export const settings = spoken('settings', en);
