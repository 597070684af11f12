import { accounts as en } from './en/accounts.ts';
import { spoken } from './messages.ts';

export const accounts = spoken('accounts', en);
