import { deskOffline as en } from './en/desk-offline.ts';
import { spoken } from './spoken.ts';

export const deskOffline = spoken('deskOffline', en);
