import { offline as en } from './en/offline.ts';
import { spoken } from './spoken.ts';

export const offline = spoken('offline', en);
