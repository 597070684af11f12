import { offline as en } from './en/offline.ts';
import { localized } from './messages.ts';

export const offline = localized('offline', en);
