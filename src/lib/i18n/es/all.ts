import type { Messages } from '../messages.ts';
import { account } from './account.ts';
import { accounts } from './accounts.ts';
import { archive } from './archive.ts';
import { audit } from './audit.ts';
import { composer } from './composer.ts';
import { corrections } from './corrections.ts';
import { desk } from './desk.ts';
import { deskLinks } from './desk-links.ts';
import { deskList } from './desk-list.ts';
import { deskOffline } from './desk-offline.ts';
import { deskPhotos } from './desk-photos.ts';
import { embed } from './embed.ts';
import { errors, quoting, tooManyRequests } from './errors.ts';
import { takeaway } from './export.ts';
import { feed } from './feed.ts';
import { feeds } from './feeds.ts';
import { folder } from './folder.ts';
import { follow } from './follow.ts';
import { invites } from './invites.ts';
import { newsroomSettings } from './newsroom-settings.ts';
import { offline } from './offline.ts';
import { outbox } from './outbox.ts';
import { ownTips } from './own-tips.ts';
import { people } from './people.ts';
import { photoLibrary } from './photo-library.ts';
import { privacy } from './privacy.ts';
import { reader } from './reader.ts';
import { running } from './running.ts';
import { search } from './search.ts';
import { settings } from './settings.ts';
import { setup } from './setup.ts';
import { site } from './site.ts';
import { states } from './states.ts';
import { surge } from './surge.ts';
import { tipQueue } from './tip-queue.ts';
import { tips } from './tips.ts';

/** All Spanish messages by part. */
export const spanish: Messages = {
  language: 'es',
  tooManyRequests,
  site,
  people,
  archive,
  audit,
  desk,
  privacy,
  photoLibrary,
  deskPhotos,
  deskLinks,
  surge,
  setup,
  accounts,
  account,
  composer,
  corrections,
  deskList,
  deskOffline,
  embed,
  errors,
  quoting,
  feed,
  folder,
  feeds,
  follow,
  invites,
  newsroomSettings,
  offline,
  outbox,
  ownTips,
  reader,
  running,
  search,
  settings,
  states,
  takeaway,
  tipQueue,
  tips,
};
