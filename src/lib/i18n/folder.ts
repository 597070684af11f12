import { folder as en } from './en/folder.ts';
import { spoken } from './messages.ts';

export const folder = spoken('folder', en);
