import { audit as en } from './en/audit.ts';
import { spoken } from './messages.ts';

export const audit = spoken('audit', en);
