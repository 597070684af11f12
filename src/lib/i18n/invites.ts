import { invites as en } from './en/invites.ts';
import { localized } from './messages.ts';

export const invites = localized('invites', en);
