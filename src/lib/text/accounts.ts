import { accounts as en } from './en/accounts.ts';
import { spoken } from './spoken.ts';

export const accounts = spoken('accounts', en);
