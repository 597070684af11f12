import { privacy as en } from './en/privacy.ts';
import { spoken } from './spoken.ts';

export const privacy = spoken('privacy', en);
