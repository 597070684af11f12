import type { Language } from '../language.ts';
import { account, accounts } from './accounts.ts';
import { composer, deskLinks, deskPosts, outbox } from './composer.ts';
import { corrections } from './corrections.ts';
import { desk, deskOffline, running } from './desk.ts';
import { deskList } from './desk-list.ts';
import { errors, quoting, tooManyRequests } from './errors.ts';
import { follow } from './follow.ts';
import { filing, wordpress } from './integrations.ts';
import { archive, search } from './lists.ts';
import { feed, offline, states } from './live-feed.ts';
import { ownTips } from './own-tips.ts';
import { audit, invites, people } from './people.ts';
import { deskPhotos, photoLibrary, photoPicker } from './photos.ts';
import { privacy } from './privacy.ts';
import { brief, embed, feeds, folder, takeaway } from './publishing.ts';
import { reader } from './reader.ts';
import { newsroomSettings, settings, setup, site, siteIdentity, surge } from './settings.ts';
import { tipQueue } from './tip-queue.ts';
import { tips } from './tips.ts';

/** All English messages by part. The other languages have the same shape. */
export const english = {
  language: 'en' as Language,
  tooManyRequests,
  site,
  people,
  archive,
  audit,
  brief,
  desk,
  privacy,
  photoLibrary,
  photoPicker,
  deskPhotos,
  deskPosts,
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
  siteIdentity,
  states,
  takeaway,
  tipQueue,
  tips,
  wordpress,
  filing,
};
