import { takeaway as en } from './en/export.ts';
import { spoken } from './messages.ts';

export const takeaway = spoken('takeaway', en);
