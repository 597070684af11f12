import { accessTokens } from '../../lib/auth/access-tokens.ts';
import type { BrowserBackend } from '../../lib/supabase/browser.ts';
import { commandSender } from '../../lib/supabase/sender.ts';
import { makePhotos } from '../stores/photos.ts';
import { startSending } from './delivering.ts';
import { deskBackend } from './desk-backend.ts';
import { photoLine } from './photo-line.ts';
import { photoShelf } from './photo-shelf.ts';
import { watchQueuedText } from './words-first.ts';

/** Sends the outbox, text before photos, from pages other than a coverage's desk. Returns a function that stops it. */
export function startOutboxSender(person: string, backend: BrowserBackend): () => void {
  const sender = startSending(person, commandSender(backend, accessTokens(person)));
  const line = photoLine(deskBackend(backend, person), backend);
  const photos = makePhotos(line, photoShelf(person), {
    coverage: null,
    watchWords: (tell) => watchQueuedText(person, tell),
  });
  const stopPhotos = photos.start();
  return () => {
    sender.stop();
    stopPhotos();
  };
}
