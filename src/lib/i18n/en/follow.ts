/** Messages of alerts: the follow page, its links, unsubscribing and notifications. */
export const follow = {
  /** Link to the follow page, and its title. */
  link: 'Get alerts',
  /** Before the name of a coverage or topic. */
  about: { coverage: 'New updates in', topic: 'New updates in every coverage of' },
  /** Current state of the follow. */
  now: {
    none: 'You do not get alerts about this yet.',
    some: (scope: 'all' | 'key', mail: boolean, push: boolean) =>
      `You get ${scope === 'all' ? 'all updates' : 'key events'} ${
        mail && push ? 'by e-mail and on your devices' : mail ? 'by e-mail' : 'on your devices'
      }.`,
  },
  done: {
    saved: 'Saved.',
    stopped: 'Stopped. You get no more alerts about this.',
    mailed:
      'Check your e-mail. Alerts start when you press the button behind the link in it. The link works for 24 hours.',
  },
  over: 'This coverage has ended. It sends no more alerts.',
  impossible: 'This newsroom cannot send alerts.',

  what: {
    legend: 'Which updates',
    all: 'All updates',
    allHelp: (minutes: number) => `At most one alert in ${minutes} minutes, unless it is urgent.`,
    key: 'Key events only',
    keyHelp: 'Fewer alerts: key events and urgent updates.',
  },
  how: {
    legend: 'How you get them',
    mail: 'By e-mail',
    mailHelp: (email: string) => `To ${email}.`,
    digest: (minutes: number) =>
      minutes === 60
        ? 'At most one e-mail an hour with all new updates. Urgent updates come at once.'
        : `At most one e-mail in ${minutes} minutes with all new updates. Urgent updates come at once.`,
    push: 'On this device',
    pushToo: 'On my devices',
    neither: 'Choose e-mail, a device, or both.',
    noDevice: 'None of your devices is set up. Choose e-mail, or allow notifications on this device.',
  },
  /** Push alerts on this device. */
  device: {
    script: 'Alerts on this device need JavaScript, which is off in your browser.',
    install:
      'On an iPhone or iPad, first add this site to the home screen (Share, then Add to Home Screen). Open it from there and come back to this page.',
    unable: 'This browser cannot show alerts: it is too old, or this is a private window.',
    denied:
      'Your browser blocks notifications from this site. Allow them in the browser’s settings, then reload this page.',
    noCopies: 'This newsroom does not send alerts to devices.',
    ask: 'Your browser will ask whether this site may show notifications.',
    ready: 'Save to set up this device.',
    here: 'This device is set up.',
    others: 'Your other devices get alerts. This one is not set up.',
    other: 'This device shows the alerts of another account. When you save, it shows yours.',
    withoutAccount: 'This device already gets alerts without an account. You can add them to your account.',
    adopt: 'Add them to my account',
    setting: 'Setting up…',
    failed:
      'That did not work: your browser could not reach us or its notification service. Try again, or choose e-mail.',
    refused: 'Notifications were not allowed. Choose e-mail, or allow them and try again.',
    alertsStopped: 'This device gets no more alerts.',
    add: 'Set up this device',
    take: 'Stop alerts on this device',
  },
  save: 'Save',
  stop: 'Stop these alerts',
  all: 'All your alerts',
  privacy: 'What we store and for how long',

  /** The page with everything that can be followed. */
  choices: {
    say: 'Choose what you want alerts about. They come by e-mail or on your device. You need no account.',
    running: 'Live now',
    topics: 'Topics',
    none: 'No coverage is live or planned right now. When one is, you can choose it here.',
    /** Below the list of this device's alerts, whose entries are links. */
    change: 'Open one of them to change or stop its alerts.',
    ofAccount: 'The alerts of your account',
    device: {
      /** Before the number of alerts in brackets. */
      title: 'Alerts on this device',
      none: 'This device gets no alerts yet.',
      account: 'This device gets the alerts of an account.',
      stopped: 'Stopped. This device gets no more alerts.',
      failed: 'The newsroom could not be reached. Reload the page to try again.',
    },
  },

  /** Alerts on the reader's device without an account. */
  thisDevice: {
    follow: 'Alert me on this device',
    change: 'Save',
    stop: 'Stop alerts on this device',
    stopAll: 'Stop all alerts on this device',
    now: {
      all: 'This device gets alerts about all updates.',
      key: 'This device gets alerts about key events.',
    },
    none: 'This device gets no alerts about this.',
    stopped: 'Stopped. This device gets no more of these alerts.',
    others: 'This device also gets alerts about:',
    account: 'With an account you see your alerts on every device.',
  },
  /** For visitors who are not signed in. */
  visitor: {
    device: 'On this device',
    mail: 'By e-mail',
    say: 'We send you a link to confirm your address. You need no account.',
    send: 'Send me the link',
    signedOut: 'You have been signed out. Enter your address, or sign in.',
  },
  /** The page of the mailed link that starts alerts. */
  confirm: {
    title: 'Confirm your alerts',
    what: (scope: 'all' | 'key', name: string) =>
      `${scope === 'all' ? 'All updates' : 'Key events only'}, by e-mail, about “${name}”.`,
    press: 'Start these alerts',
    started: 'Alerts started',
    said: 'Each e-mail has a link that stops the alerts.',
    read: 'Read',
    account: 'With an account you see and change all your alerts in one place.',
    none: {
      title: 'This link does not work',
      say: 'It is incomplete or older than 24 hours. Open the coverage and choose Get alerts again.',
    },
  },

  /** The page of the unsubscribe link. */
  unsubscribe: {
    title: 'Stop these e-mails',
    say: 'You will get no more e-mails about',
    press: 'Stop',
    stopped: 'Stopped',
    said: 'You get no more e-mails about',
    again: 'If that was a mistake:',
    none: {
      title: 'This link does not work',
      say: 'The link is incomplete, or it expired. Copy all of it from the e-mail into the address bar.',
    },
  },

  /** Notification for a push message that cannot be read. */
  unread: 'There are new updates.',
};
