import { deskList as en } from './en/desk-list.ts';
import { localized } from './messages.ts';

export const deskList = localized('deskList', en);
