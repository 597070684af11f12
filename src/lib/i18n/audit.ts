import { audit as en } from './en/audit.ts';
import { localized } from './messages.ts';

export const audit = localized('audit', en);
