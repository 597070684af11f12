import { deskList as en } from './en/desk-list.ts';
import { spoken } from './messages.ts';

export const deskList = spoken('deskList', en);
