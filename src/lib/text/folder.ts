import { folder as en } from './en/folder.ts';
import { spoken } from './spoken.ts';

export const folder = spoken('folder', en);
