import { outbox as en } from './en/outbox.ts';
import { spoken } from './messages.ts';

export const outbox = spoken('outbox', en);
