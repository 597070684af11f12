import { audit as en } from './en/audit.ts';
import { spoken } from './spoken.ts';

export const audit = spoken('audit', en);
