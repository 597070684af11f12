import { outbox as en } from './en/outbox.ts';
import { localized } from './messages.ts';

export const outbox = localized('outbox', en);
