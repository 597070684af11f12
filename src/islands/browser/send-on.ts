import { accessTokens } from '../../lib/auth/access-tokens.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { sender } from '../../lib/supabase/sender.ts';
import { makePhotos } from '../stores/photos.ts';
import { startDelivering } from './delivering.ts';
import { deskBackend } from './desk-backend.ts';
import { photoLine } from './photo-line.ts';
import { photoShelf } from './photo-shelf.ts';
import { watchWords } from './words-first.ts';

/** Sends what waits on this device, words first, from a page that is no desk of a coverage. Returns what ends it. */
export function sendOn(person: string, backend: BrowserBackend): () => void {
  const delivering = startDelivering(person, sender(backend, accessTokens(person)));
  const line = photoLine(deskBackend(backend, person), backend);
  const photos = makePhotos(line, photoShelf(person), {
    coverage: null,
    watchWords: (tell) => watchWords(person, tell),
  });
  const stopPhotos = photos.start();
  return () => {
    delivering.stop();
    stopPhotos();
  };
}
