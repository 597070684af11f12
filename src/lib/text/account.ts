import { account as en } from './en/account.ts';
import { spoken } from './spoken.ts';

export const account = spoken('account', en);
