import { invites as en } from './en/invites.ts';
import { spoken } from './spoken.ts';

export const invites = spoken('invites', en);
