import { account as en } from './en/account.ts';
import { localized } from './messages.ts';

export const account = localized('account', en);
