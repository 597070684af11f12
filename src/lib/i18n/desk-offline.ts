import { deskOffline as en } from './en/desk-offline.ts';
import { localized } from './messages.ts';

export const deskOffline = localized('deskOffline', en);
