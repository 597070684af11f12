import { composer, deskLinks, deskPosts, outbox } from './composer.ts';
import { corrections } from './corrections.ts';
import { desk, deskOffline, running } from './desk.ts';
import { deskList } from './desk-list.ts';
import { errors, quoting } from './errors.ts';
import { deskPhotos, photoPicker } from './photos.ts';
import { reader } from './reader.ts';
import { tipQueue } from './tip-queue.ts';

/** Spanish messages of the islands at the desk, which browsers load. */
export const spanish = {
  language: 'es' as const,
  composer,
  corrections,
  desk,
  deskLinks,
  deskList,
  deskOffline,
  deskPhotos,
  deskPosts,
  errors,
  outbox,
  photoPicker,
  quoting,
  reader,
  running,
  tipQueue,
};
