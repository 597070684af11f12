import { photoLibrary as en } from './en/photo-library.ts';
import { spoken } from './spoken.ts';

export const photoLibrary = spoken('photoLibrary', en);
