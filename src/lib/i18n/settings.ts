import { settings as en } from './en/settings.ts';
import { localized } from './messages.ts';

export const settings = localized('settings', en);
