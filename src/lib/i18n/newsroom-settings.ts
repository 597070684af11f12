import { newsroomSettings as en } from './en/newsroom-settings.ts';
import { spoken } from './messages.ts';

export const newsroomSettings = spoken('newsroomSettings', en);
