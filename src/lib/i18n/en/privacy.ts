import type { RETENTION } from '../../domain/retention.ts';

type Kept = typeof RETENTION;
type Section = { title: string; say: string[] };

/** Messages of the privacy page. They must match what the software does. */
export const privacy = {
  title: 'Privacy',
  link: 'Privacy',
  what: (name: string) => `What ${name} keeps of you, and for how long.`,

  sections: (kept: Kept): Section[] => [
    {
      title: 'When you read',
      say: [
        'No cookie is set. Pages are the same for everybody, and nobody counts who reads what.',
        'While you follow a live page, your browser keeps a copy of the public pages that you open, to show them where there is no line: at most 30, each for 30 days, or until you next come here after that. They stay on your device. A button at /offline takes them away, and so does clearing the data of this site in your browser.',
        'Your network address is used to answer you, and held in memory for some minutes so that no one line can ask for too much. It is not written down.',
        'Nothing on these pages is loaded from anybody else: no fonts, no counters, no advertising.',
      ],
    },
    {
      title: 'When you send a tip',
      say: [
        'What you write, your name and how to reach you if you give them, and your photo go to those in this newsroom who handle tips, and to nobody else. If you are signed in and leave it so, it is tied to your account, where you see what became of it; else to none.',
        `Your name and how to reach you are deleted ${kept.contactDays} days after the tip was used or declined; its text stays with the newsroom. A tip that was not handled is deleted after ${kept.unhandledDays} days, one that was held or marked as spam after ${kept.heldDays}.`,
        `So that no one line can flood us, we keep digests of your network address and of a random name that your browser is given, from which neither can be read. They go after ${kept.senderDays} days. Your browser keeps that name, what you are writing for a day at most, what you pressed, with its photo, until it has been sent, and the addresses of your last receipts.`,
        'Of a photo we keep the picture only, without place, time and device.',
      ],
    },
    {
      title: 'When you have an account',
      say: [
        'We keep your e-mail address, your name, what you say about yourself, your role, when the account was made and when you last signed in. Of your password we keep only a hash, from which it cannot be read.',
        'Your e-mail address is seen by the owners of this newsroom and by nobody else. Your name is public once something is published under it.',
        'All of this is kept until you delete your account.',
        'Who changed people, coverages or the site is written down with the time and kept for good, by ids: when an account is deleted its id stays. An invitation (name, address, role) is kept until 30 days after it was accepted, revoked or ran out.',
      ],
    },
    {
      title: 'When you get alerts',
      say: [
        'We keep what you follow and how you are told. Of a device: the address that the maker of its browser gives us for it, two keys, what kind of device it is and when it was last told. The words of an alert go through that maker’s service encrypted for your device alone; it learns that there was one. Your device remembers which alerts it has shown.',
        `Which alert went to whom is kept for ${kept.deliveriesDays} days, so that nobody is told twice. Whether you open one is not watched.`,
        `Alerts need no account. Without one we keep the device, or the address that you confirmed, and nothing else about you. A request that is not confirmed is deleted after ${kept.followRequestHours} hours. For one day we keep a digest of the network from which it came, so that no one can send too many.`,
        `Without an account, alerts end ${kept.followEndedDays} days after their coverage. The address or device is deleted within an hour after its last follow ended.`,
        `You can end all alerts on the page where you started them, in your account, by the link in each mail, or in your browser. Signing out ends those of your account on that device. A link that stopped something says so for ${kept.unsubscribeLinkDays} days, and does not say who you are.`,
      ],
    },
    {
      title: 'When you are signed in',
      say: [
        'One cookie holds your session. Signing in needs it, and no script can read it. A second cookie, “signed-in”, lets pages show the link to your account. Signing out deletes both.',
        `With each session we note when it began, when it was last used, the network address and the name that your browser gives itself, so that you can tell your devices apart. All of it goes when you sign out there, and when nobody came back for ${kept.sessionDays} days.`,
        `Failed sign-ins are counted in memory for some minutes. Somebody who asks for a mail has a cookie for ${kept.linkMinutes} minutes that says which address it went to.`,
        'What you write at the desk and have not sent yet is kept in your own browser until it is sent or thrown away, and so is what a desk that you opened needs to open without a line; signing out hides both from whoever comes next.',
      ],
    },
    {
      title: 'Mails',
      say: [
        `You get the mails that somebody asked for in your name: to confirm an address, to sign in, to choose a password, to be invited, to begin alerts. Their links and codes are good for ${kept.linkMinutes} minutes, an invitation for a week. Beside them there are only the alerts that you chose.`,
      ],
    },
    {
      title: 'What you publish',
      say: [
        'What is published belongs to the record, with its time, its byline and its corrections. When you delete your account, your byline stays under what carries it, and nothing else of the account does. If nothing was ever published under your name, the name goes too.',
      ],
    },
    {
      title: 'Logs',
      say: [
        'The server writes down its own faults, not visits. Whoever runs the machine, or stands between you and it, may keep logs of their own.',
      ],
    },
  ],
  backups: {
    title: 'Backups',
    say: (kept: number | undefined) =>
      `The whole newsroom is copied, so that nothing is lost. A copy holds what was there when it was made; ${
        kept
          ? `the newest ${kept} are kept, others are thrown away`
          : 'it is deleted when there are newer ones'
      }.`,
  },
  yours: {
    title: 'Your choices',
    account: 'See and change what is kept, sign devices out, and delete your account:',
    contact: 'Ask us anything else:',
  },
};
