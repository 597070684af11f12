import { privacy as en } from './en/privacy.ts';
import { spoken } from './messages.ts';

export const privacy = spoken('privacy', en);
