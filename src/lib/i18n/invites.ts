import { invites as en } from './en/invites.ts';
import { spoken } from './messages.ts';

export const invites = spoken('invites', en);
