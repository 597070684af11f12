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
    nameHelp: 'Shown as your byline if you write updates.',
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
    instead: 'Send a link or code by e-mail',
    titleOf: {
      'sign-in': 'Sign in by e-mail',
      'sign-up': 'Confirm your address',
      recovery: 'Choose a new password',
    },
    ask: {
      'sign-in': 'Enter the address of your account. We will send you a link and a code to sign in.',
      'sign-up': 'Enter the address of your new account. We will send you a link and a code.',
      recovery: 'Enter the address of your account. We will send you a link to choose a new password.',
    },
    submit: 'Send e-mail',
    title: 'Check your e-mail',
    sent: {
      'sign-in': (email: string) => `If ${email} has an account, we have sent an e-mail to it.`,
      'sign-up': (email: string) =>
        `We have sent an e-mail to ${email}. Confirm the address with its link or code.`,
      recovery: (email: string) => `If ${email} has an account, we have sent an e-mail to it.`,
    },
    holds: 'Use either the link or the code, once, within an hour.',
    sentAt: (time: string) => `Sent at ${time}.`,
    code: 'Code from the e-mail',
    codeHelp: 'Only digits. Spaces are ignored.',
    press: {
      'sign-in': 'Sign in',
      'sign-up': 'Confirm and sign in',
      recovery: 'Continue',
    },
    nothing: 'No e-mail after a few minutes? Check your spam folder, or send it again.',
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
      title: 'Sign in',
      say: 'Press the button to sign in to this browser.',
      press: 'Sign in',
    },
    invite: {
      title: 'You are invited',
      say: 'Press the button to open your account, then choose a password.',
      press: 'Accept the invitation',
    },
    recovery: {
      title: 'Choose a new password',
      say: 'Press the button to sign in to this browser, then choose a new password.',
      press: 'Continue',
    },
    email_change: {
      title: 'Confirm your address',
      say: 'Press the button to confirm that this is your address.',
      press: 'Confirm',
    },
    takesPlace: (name: string) =>
      `You are signed in as ${name}. If you continue, you are signed out of that account.`,
    dead: {
      title: 'This link no longer works',
      say: 'It was used, it is more than an hour old, or you requested a newer one.',
      another: {
        email: 'Request a new one.',
        recovery: 'Request a new one.',
        invite: 'Request a link by e-mail to choose your password, or ask for another invitation.',
      },
      email_change: 'If your address has not changed, request the change again.',
      submit: 'E-mail me a new one',
    },
    broken: {
      title: 'This link is incomplete',
      say: 'A part of it is missing. Copy all of it from the e-mail into the address bar.',
    },
    half: {
      title: 'One address is confirmed',
      say: 'Now confirm the other one. Follow the link in the e-mail to that address.',
    },
    toAccount: 'Your account',
  },
  problems: {
    credentials: 'Wrong address or password. Check both, then try again.',
    unconfirmed: 'This address is not confirmed yet. Follow the link in our e-mail, or request a new one.',
    code: 'Enter the code from the e-mail: digits only.',
    codeWrong: 'This code is wrong or has expired. Check it, or request a new one.',
    noMail: 'This newsroom sends no e-mail. Ask its owner for a link to sign in.',
    mailFailed: 'The e-mail could not be sent. Try again in some minutes.',
    mailSoon: (seconds: number) =>
      `An e-mail was sent less than a minute ago. Wait ${waiting(seconds)}, then send again.`,
    tooManyMails: (seconds: number) =>
      `No more e-mails are sent for now. Wait ${waiting(seconds)}, then try again.`,
    samePassword: 'This is the password you have. Choose another.',
    unproved: 'To choose a password without the old one, request a link by e-mail first.',
    email: 'Enter an e-mail address, such as name@example.com.',
    password: 'Enter your password.',
    passwordShort: (min: number) => `A password has at least ${min} characters. Make it longer.`,
    passwordLong: 'This password is too long. Use at most 72 letters and digits.',
    passwordIsEmail: 'A password must not be the e-mail address. Choose another.',
    passwordWeak: 'This password is too easy to guess. Choose another.',
    name: (max: number) => `Enter a name of 1 to ${max} characters.`,
    emailInUse: 'This address cannot be used for a new account. If it is yours, sign in.',
    closed: 'This account is closed. Ask the owner of this newsroom.',
    unavailable: 'The newsroom cannot be reached just now. Try again in a moment.',
    tooMany: (seconds: number) => `Too many attempts. Wait ${waiting(seconds)}, then try again.`,
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
    mailed: 'We have sent two e-mails. Follow the links in both to change the address.',
    password: 'Your password is changed. Every other device is signed out.',
    password_mail: 'We have sent an e-mail. Follow its link to choose a password.',
    device: 'That device is signed out.',
    followed: 'Saved. You will get these alerts.',
    adopted: 'Added. These alerts now belong to your account.',
    unfollowed: 'Stopped. You get no more alerts about it.',
    alert_device: 'That device gets no more alerts.',
    filing_sender: 'The chat is unlinked. Messages from it are refused from now on.',
  },
  /** Link to follow again after ending a follow. */
  followAgain: 'Follow it again',

  name: {
    title: 'Name',
    display_name: 'Your name',
    nameHelp: 'Shown as your byline if you write updates.',
    bio: 'About you',
    bioHelp: (most: number) => `Shown on your public page once you have a byline. Up to ${most} characters.`,
    page: 'Your page',
    save: 'Save',
  },

  email: {
    title: 'E-mail address',
    now: (email: string) => `You sign in with ${email}.`,
    waiting: (email: string) => `To change to ${email}, follow the links in the e-mails to both addresses.`,
    field: 'New address',
    help: 'We send an e-mail to both addresses. The address changes when you follow both links.',
    save: 'Change address',
    same: 'This is your address already.',
  },

  password: {
    title: 'Password',
    current: 'Current password',
    next: 'New password',
    save: 'Change password',
    others: 'Every other device is signed out.',
    forgotten: 'No password, or forgotten?',
    byMail: 'Choose a password by e-mail',
    wrong: 'Wrong password. Try again, or choose a new one by e-mail.',
    same: 'This is your password already. Choose another.',
  },

  follows: {
    title: 'What I follow',
    none: 'You follow nothing yet. Open a coverage or topic and choose Get alerts.',
    topic: 'Topic',
    change: 'Change',
    changeOf: (name: string) => `Change the alerts of ${name}`,
    stop: 'Stop',
    stopOf: (name: string) => `Stop the alerts of ${name}`,
    neither: 'Without e-mail and devices, the alerts stop.',
  },

  alerts: {
    title: 'How I get alerts',
    mail: (email: string) => `E-mails go to ${email}. Each has a link to stop them.`,
    noMail: 'This newsroom sends no alerts by e-mail.',
    withoutAccount: (email: string) =>
      `${email} also gets alerts by e-mail that are not in your account yet:`,
    adopt: 'Add them to my account',
    devices: 'The devices below show alerts.',
    noDevices: 'No device shows alerts yet.',
    noPush: 'This newsroom sends no alerts to devices.',
    unnamed: 'Unnamed device',
    since: 'Since',
    told: 'last alerted',
    neverTold: 'not alerted yet',
    remove: 'Remove',
    removeOf: (device: string) => `Remove ${device}`,
    add: 'To set up this device, open the alerts of something that you follow, such as',
    addFirst: 'To set up a device, follow a coverage on it.',
  },

  data: {
    title: 'My data',
    say: 'Download everything that we store about you as one JSON file: your account and sessions, follows, devices, alerts, tips, updates and activity.',
    get: 'Download my data',
  },

  devices: {
    title: 'Signed-in devices',
    here: 'this device',
    device: (browser: string, system: string) => `${browser} on ${system}`,
    program: 'Unknown browser',
    anything: 'unknown system',
    since: 'Since',
    last: 'last seen',
    end: 'Sign out',
    endOf: (device: string) => `Sign out ${device}`,
  },

  leave: {
    title: 'Sign out or delete',
    here: 'Sign out here',
    everywhere: 'Sign out everywhere',
    delete: 'Delete my account',
  },

  deletion: {
    title: 'Delete your account',
    goes: 'Deleted',
    going: [
      'Your e-mail address, your password and all sessions. You are signed out everywhere.',
      'Your text about yourself, and your access to coverages.',
      'What you follow, your devices for alerts, and the record of sent alerts.',
      'The link between you and your tips.',
      'Your name, if nothing was published under it.',
    ],
    stays: 'Kept',
    staying: [
      'Your updates, as part of their coverage.',
      'Your byline on published updates.',
      `Your tips. Names and contact details in them are deleted ${LIMITS.contact_days} days after the tip was used or declined.`,
      'Earlier backups, until they are deleted.',
    ],
    final: 'It cannot be undone.',
    confirm: 'Delete my account',
    keep: 'Keep my account',
  },

  over: {
    'signed-out': {
      title: 'Signed out everywhere',
      say: 'All devices are signed out of your account, including this one.',
    },
    deleted: {
      title: 'Your account is deleted',
      say: 'You are signed out everywhere. The account can no longer be used.',
    },
  },
};
