import { accounts as en } from './en/accounts.ts';
import { localized } from './messages.ts';

export const accounts = localized('accounts', en);
