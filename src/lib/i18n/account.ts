import { account as en } from './en/account.ts';
import { spoken } from './messages.ts';

export const account = spoken('account', en);
