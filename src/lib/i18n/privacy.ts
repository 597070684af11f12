import { privacy as en } from './en/privacy.ts';
import { localized } from './messages.ts';

export const privacy = localized('privacy', en);
