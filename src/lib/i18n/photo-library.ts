import { photoLibrary as en } from './en/photo-library.ts';
import { spoken } from './messages.ts';

export const photoLibrary = spoken('photoLibrary', en);
