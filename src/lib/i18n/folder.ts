import { folder as en } from './en/folder.ts';
import { localized } from './messages.ts';

export const folder = localized('folder', en);
