import { LIMITS } from '../../domain/limits.ts';

/** Messages of the account page. */
export const account = {
  title: 'Your account',
  link: 'Your account',
  contents: 'On this page',
  signedOut: 'Your session has ended. What you typed is kept in this form: sign in, then send it again.',

  /** Status messages after a form was submitted. */
  done: {
    name: 'Your name is saved.',
    email: 'Your e-mail address is changed.',
    mailed:
      'Two mails are on their way. Follow the link in both: the address changes when the second is followed.',
    password: 'Your password is changed. Every other device is signed out.',
    password_mail: 'A mail is on its way. Follow its link to choose a password.',
    device: 'That device is signed out.',
    followed: 'Saved. You are told of it as you asked.',
    unfollowed: 'You do not follow it any more, and no more alerts come from it.',
    alert_device: 'No more alerts come to that device.',
  },
  /** Link to follow again after ending a follow. */
  followAgain: 'Follow it again',

  name: {
    title: 'Name',
    display_name: 'Your name',
    nameHelp: 'As it stands under what you write.',
    bio: 'About you',
    bioHelp: (most: number) =>
      `For your page, once a byline of yours is published. Up to ${most} characters.`,
    page: 'Your page',
    save: 'Save',
  },

  email: {
    title: 'E-mail address',
    now: (email: string) => `You sign in with ${email}.`,
    waiting: (email: string) =>
      `${email} waits to be confirmed: follow the links in the mails to both addresses.`,
    field: 'New address',
    help: 'A mail goes to the old address and to the new one. It changes when the links of both are followed.',
    save: 'Change address',
    same: 'This is your address already.',
  },

  password: {
    title: 'Password',
    current: 'Your password now',
    next: 'New password',
    save: 'Change password',
    others: 'Every other device is signed out.',
    forgotten: 'You have none, or forgot it?',
    byMail: 'Choose a password by mail',
    wrong: 'This is not your password. Try again, or choose a new one by mail.',
    same: 'This is your password already. Choose another.',
  },

  follows: {
    title: 'What I follow',
    none: 'Nothing yet. Each coverage and each topic has a way to get alerts of it on its page.',
    topic: 'Topic',
    change: 'Change',
    changeOf: (name: string) => `Change the alerts of ${name}`,
    stop: 'Stop',
    stopOf: (name: string) => `Stop the alerts of ${name}`,
    neither: 'With neither, it stops.',
  },

  alerts: {
    title: 'How I am alerted',
    mail: (email: string) => `Mails go to ${email}, and each has a link that ends it.`,
    noMail: 'This newsroom sends no alerts by e-mail.',
    devices: 'The devices below show alerts.',
    noDevices: 'No device shows alerts yet.',
    noPush: 'This newsroom sends no alerts to devices.',
    unnamed: 'A device',
    since: 'since',
    told: 'last alerted',
    neverTold: 'not alerted yet',
    remove: 'Remove',
    removeOf: (device: string) => `No more alerts to ${device}`,
    add: 'Set up the device that you are holding: on the page of something that you follow, such as',
    addFirst: 'A device is set up when you follow something on it.',
  },

  data: {
    title: 'My data',
    say: 'All that is kept here about you, in one file: your account and where you are signed in, what you follow, your devices and the alerts that were sent to them, your tips, and what you wrote and did. It is JSON, which any program that shows text can open.',
    get: 'Download my data',
  },

  devices: {
    title: 'Signed in on',
    here: 'this one',
    device: (browser: string, system: string) => `${browser} on ${system}`,
    program: 'Another program',
    anything: 'something',
    since: 'since',
    last: 'last seen',
    end: 'Sign out',
    endOf: (device: string) => `Sign out ${device}`,
  },

  leave: {
    title: 'Leave',
    here: 'Sign out here',
    everywhere: 'Sign out everywhere',
    delete: 'Delete my account',
  },

  deletion: {
    title: 'Delete your account',
    goes: 'What goes',
    going: [
      'Your e-mail address, your password and every session: you are signed out everywhere at once.',
      'What you said about yourself, and your places in coverages.',
      'What you follow, your devices for alerts, and the record of what was sent to you.',
      'That the tips that you sent were yours.',
      'Your name, if it never stood under anything published.',
    ],
    stays: 'What stays',
    staying: [
      'What you wrote: it belongs to the record of its coverage.',
      'Your byline, with your name, under what was published with it.',
      `The tips themselves. A name or a way to reach you that you wrote into one goes ${LIMITS.contact_days} days after it was used or put aside.`,
      'Backups made before, until they are thrown away.',
    ],
    final: 'It cannot be undone.',
    confirm: 'Delete my account',
    keep: 'Keep it',
  },

  over: {
    'signed-out': {
      title: 'Signed out everywhere',
      say: 'No device is signed in to your account any more, this one neither.',
    },
    deleted: {
      title: 'Your account is deleted',
      say: 'You are signed out everywhere, and nobody can sign in to it again.',
    },
  },
};
