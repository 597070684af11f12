import { deskOffline as en } from './en/desk-offline.ts';
import { spoken } from './messages.ts';

export const deskOffline = spoken('deskOffline', en);
