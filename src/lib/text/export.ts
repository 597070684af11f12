import { takeaway as en } from './en/export.ts';
import { spoken } from './spoken.ts';

export const takeaway = spoken('takeaway', en);
