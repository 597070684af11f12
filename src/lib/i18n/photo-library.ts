import { photoLibrary as en } from './en/photo-library.ts';
import { localized } from './messages.ts';

export const photoLibrary = localized('photoLibrary', en);
