import { offline as en } from './en/offline.ts';
import { spoken } from './messages.ts';

export const offline = spoken('offline', en);
