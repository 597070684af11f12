import { LIMITS } from '../../domain/limits.ts';

/** Messages of signing in, signing up and signing out. */
export const accounts = {
  signIn: 'Sign in',
  signUp: 'Create account',
  signOut: 'Sign out',
  signedInAs: (name: string) => `You are signed in as ${name}.`,
  goOn: 'Continue',
  fields: {
    name: 'Your name',
    nameHelp: 'Shown as your byline.',
    email: 'E-mail address',
    password: 'Password',
    passwordHelp: (min: number) => `At least ${min} characters. Use three or four random words.`,
  },
  noAccount: 'Do you need an account?',
  haveAccount: 'Do you already have an account?',
  whatFor: 'Get alerts and track your tips. Reading needs no account.',
  /** Title of a page with a rejected form. */
  titleOfProblem: (title: string) => `Error: ${title}`,
  byMail: {
    instead: 'Send a link or code by mail',
    titleOf: {
      'sign-in': 'Sign in by mail',
      'sign-up': 'Confirm your address',
      recovery: 'Choose a new password',
    },
    ask: {
      'sign-in': 'Enter the address of your account. We will send you a link and a code to sign in.',
      'sign-up': 'Enter the address of your new account. We will send you a link and a code.',
      recovery: 'Enter the address of your account. We will send you a link to choose a new password.',
    },
    submit: 'Send mail',
    title: 'Check your e-mail',
    sent: {
      'sign-in': (email: string) => `If ${email} has an account, we have sent a mail to it.`,
      'sign-up': (email: string) =>
        `We have sent a mail to ${email}. Confirm the address with its link or code.`,
      recovery: (email: string) => `If ${email} has an account, we have sent a mail to it.`,
    },
    holds: 'The link or the code works once, for one hour.',
    sentAt: (time: string) => `Sent at ${time}.`,
    code: 'Code from the mail',
    codeHelp: 'Only digits. Spaces are ignored.',
    press: {
      'sign-in': 'Sign in',
      'sign-up': 'Confirm and sign in',
      recovery: 'Continue',
    },
    nothing: 'No mail after a few minutes? Check your spam folder, or send it again.',
    nothingForKnown: 'We do not send one to an address that already has an account. In that case,',
    signInInstead: 'sign in',
    again: 'Send it again',
    otherAddress: 'Use another address',
    back: {
      'sign-in': 'Sign in with a password',
      'sign-up': 'Create account',
      recovery: 'Back',
    },
  },
  reset: {
    forgotten: 'Forgotten your password?',
    /** For people who signed in with a password. */
    known: 'If you know your password, change it in',
    account: 'your account',
    title: 'Choose a new password',
    choose: 'When you save it, your other devices are signed out.',
    forAccount: 'Account',
    newPassword: 'New password',
    save: 'Save the password',
  },
  link: {
    /** Button of each kind of mailed link. */
    email: {
      title: 'Go on to the newsroom',
      say: 'The button signs you in, in this browser.',
      press: 'Sign in',
    },
    invite: {
      title: 'You are invited',
      say: 'The button opens your account. Then you choose a password for it.',
      press: 'Accept the invitation',
    },
    recovery: {
      title: 'Choose a new password',
      say: 'The button signs you in, in this browser. Then you choose a new password.',
      press: 'Go on',
    },
    email_change: {
      title: 'Confirm your address',
      say: 'The button confirms that mail to this address reaches you.',
      press: 'Confirm',
    },
    takesPlace: (name: string) => `You are signed in here as ${name}. That ends when you go on.`,
    dead: {
      title: 'This link no longer works',
      say: 'It has been used, or it is more than an hour old, or a newer mail took its place.',
      another: {
        email: 'Have a new one mailed to you.',
        recovery: 'Have a new one mailed to you.',
        invite: 'Request a link by mail to choose your password, or ask for another invitation.',
      },
      email_change: 'If your address has not changed, ask for the change again.',
      submit: 'Mail me a new one',
    },
    broken: {
      title: 'This link is not whole',
      say: 'A part of it is missing. Copy all of it from the mail into the address bar.',
    },
    half: {
      title: 'One address has confirmed',
      say: 'The other one has to confirm too before anything changes. Follow the link in the mail that went there.',
    },
    toAccount: 'Your account',
  },
  problems: {
    credentials: 'Wrong address or password. Check both, then try again.',
    unconfirmed:
      'This address is not confirmed yet. Follow the link in the mail we sent, or have a new one mailed to you.',
    code: 'Type the code as it stands in the mail: digits only.',
    codeWrong: 'This code is wrong, or no longer good. Check it, or have a new one sent.',
    noMail: 'This newsroom sends no mail. Ask its owner for a link to sign in.',
    mailFailed: 'The mail could not be sent just now. Try again in some minutes.',
    mailSoon: (seconds: number) =>
      `A mail was sent less than a minute ago. Wait ${waiting(seconds)}, then send again.`,
    tooManyMails: (seconds: number) =>
      `No more mails are sent for now. Wait ${waiting(seconds)}, then try again.`,
    samePassword: 'This is the password you have. Choose another.',
    unproved: 'To choose a password without the old one, have a link mailed to you first.',
    email: 'Enter an e-mail address, such as name@example.com.',
    password: 'Enter your password.',
    passwordShort: (min: number) => `A password has at least ${min} characters. Make it longer.`,
    passwordLong: 'A password has at most 72 bytes. Make it shorter.',
    passwordIsEmail: 'A password must not be the e-mail address. Choose another.',
    passwordWeak: 'This password is too easy to guess. Choose another.',
    name: (max: number) => `Enter a name of 1 to ${max} characters.`,
    emailInUse: 'This address cannot be used for a new account. If it is yours, sign in.',
    closed: 'This account is closed. Ask the owner of this newsroom.',
    unavailable: 'The newsroom cannot be reached just now. Try again in a moment.',
    tooMany: (seconds: number) => `Too many tries. Wait ${waiting(seconds)}, then try again.`,
  },
};

/** Formats a waiting time, rounded up. */
function waiting(seconds: number): string {
  if (seconds <= 90) return `${Math.ceil(seconds)} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

/** Messages of the account page. */
export const account = {
  title: 'Your account',
  link: 'Your account',
  contents: 'On this page',
  signedOut: 'Your session has ended. Your text is still in this form: sign in, then send it again.',

  /** Status messages after a form was submitted. */
  done: {
    name: 'Your name is saved.',
    email: 'Your e-mail address is changed.',
    mailed:
      'Two mails are on their way. Follow the link in both: the address changes when the second is followed.',
    password: 'Your password is changed. Every other device is signed out.',
    password_mail: 'A mail is on its way. Follow its link to choose a password.',
    device: 'That device is signed out.',
    followed: 'Saved. You will get these alerts.',
    adopted: 'Added. These alerts now belong to your account.',
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
    none: 'You follow nothing yet. Open a coverage or topic and choose Alerts.',
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
    withoutAccount: (email: string) =>
      `${email} also gets alerts by e-mail that are not in your account yet:`,
    adopt: 'Add them to my account',
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
      say: 'You are signed out everywhere. The account can no longer be used.',
    },
  },
};
