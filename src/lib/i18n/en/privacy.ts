import type { RETENTION } from '../../domain/retention.ts';

type Kept = typeof RETENTION;
type Section = { title: string; say: string[] };

/** Messages of the privacy page. They must match what the software does. */
export const privacy = {
  title: 'Privacy',
  link: 'Privacy',
  what: (name: string) => `What ${name} stores about you, and for how long.`,

  sections: (kept: Kept): Section[] => [
    {
      title: 'When you read',
      say: [
        'We set no cookies. All readers get the same pages, and we do not record who reads which page.',
        'While you follow a live page, your browser saves the public pages that you open, so that you can read them offline. It saves up to 30 pages, each for 30 days. They stay on your device. Remove them with the button at /offline, or by clearing this site’s data in your browser.',
        'We use your network address to answer you. It stays in memory for some minutes to limit requests, and is not stored.',
        'These pages load nothing from other companies: no fonts, no analytics, no advertising. The exception is a video or recording at YouTube, Vimeo, TikTok or SoundCloud: its button names the host, and only pressing it loads the player. That company then receives your network address, learns that you come from this site, and may store data in your browser.',
      ],
    },
    {
      title: 'When you send a tip',
      say: [
        'The moderators, editors and owners of this newsroom see your text, your photo, and your name and contact details if you give them. If you are signed in, the tip is linked to your account unless you choose otherwise.',
        `We delete your name and contact details ${kept.contactDays} days after the tip was used or declined. Its text stays with the newsroom. We delete tips that were not handled after ${kept.unhandledDays} days, and held tips and spam after ${kept.heldDays}.`,
        `To limit abuse, we store hashes of your network address and of a random id in your browser for ${kept.senderDays} days. The address and the id cannot be read from them. Your browser stores this id, your unsent text for up to a day, unsent tips with their photo, and the addresses of your last receipts.`,
        'We remove place, time and device from photos.',
      ],
    },
    {
      title: 'When you have an account',
      say: [
        'We store your e-mail address, your name, your text about yourself, your role, when the account was created and when you last signed in. We store your password only as a hash, from which it cannot be read.',
        'Only the owners of this newsroom see your e-mail address. Your name is public once something is published under it.',
        'We keep this until you delete your account. If you file by chat, we also keep the id and the name of your chat until you unlink it.',
        'The activity log records who changed people, coverages or the site, and when. It is kept permanently and contains ids, which remain when an account is deleted. We keep an invitation (name, address, role) until 30 days after it was accepted, revoked or expired.',
      ],
    },
    {
      title: 'When you get alerts',
      say: [
        'We store what you follow and how you get alerts. For a device we store the address of its browser’s notification service, two keys, the kind of device and when it last got an alert. That service transmits alerts encrypted: it learns that there was an alert, and cannot read it. Your device remembers which alerts it has shown.',
        `We store for ${kept.deliveriesDays} days which alerts you got, so that you get none twice. We do not record whether you open them.`,
        `Alerts need no account. Without one we keep the device, or the address that you confirmed, and nothing else about you. A request that is not confirmed is deleted after ${kept.followRequestHours} hours. For one day we keep a hash of the network from which it came, so that no one can send too many.`,
        `Without an account, alerts end ${kept.followEndedDays} days after their coverage. The address or device is deleted within an hour after its last follow ended.`,
        `You can end all alerts on the page where you started them, in your account, by the link in each e-mail, or in your browser. Signing out ends those of your account on that device. For ${kept.unsubscribeLinkDays} days a used link shows that the alerts are stopped, without showing who you are.`,
      ],
    },
    {
      title: 'When you are signed in',
      say: [
        'One cookie contains your session. Scripts cannot read it. A second cookie, “signed-in”, lets pages show the link to your account. Signing out deletes both.',
        `For each session we store when it began and was last used, the network address and the name of the browser, so that you can tell your devices apart. We delete this when you sign out there, or after ${kept.sessionDays} days without a visit.`,
        `Failed sign-ins are counted in memory for some minutes. If you ask for an e-mail, a cookie remembers its address for ${kept.linkMinutes} minutes.`,
        'Your browser stores unsent text of the desk until you send or discard it, and the data that the desk needs offline. Signing out hides both from the next person.',
      ],
    },
    {
      title: 'E-mails',
      say: [
        `We send e-mails that were requested for your address: to confirm it, to sign in, to choose a password, to invite you or to start alerts. Their links and codes work for ${kept.linkMinutes} minutes, an invitation for a week. All other e-mails are the alerts that you chose.`,
      ],
    },
    {
      title: 'What you publish',
      say: [
        'Published updates remain, with their time, byline and corrections. When you delete your account, your byline on published updates remains, and everything else is deleted. If nothing was published under your name, we delete the name too.',
      ],
    },
    {
      title: 'Logs',
      say: [
        'The server logs its own errors, not visits. The hosting company and your network provider may keep logs of their own.',
      ],
    },
  ],
  backups: {
    title: 'Backups',
    say: (kept: number | undefined) =>
      `We back up all data of the newsroom. A backup contains the data of its time; ${
        kept ? `we keep the newest ${kept}` : 'it is deleted when there are newer ones'
      }.`,
  },
  yours: {
    title: 'Your choices',
    account: 'See and change your data, sign devices out, or delete your account:',
    contact: 'For other questions:',
  },
};
