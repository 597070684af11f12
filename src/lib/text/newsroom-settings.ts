import { newsroomSettings as en } from './en/newsroom-settings.ts';
import { spoken } from './spoken.ts';

export const newsroomSettings = spoken('newsroomSettings', en);
