/** Messages of alerts: the follow page, its links, unsubscribing and notifications. */
export const follow = {
  /** Link to the follow page, and its title. */
  link: 'Get alerts',
  /** Before the name of a coverage or topic. */
  about: { coverage: 'When something is new in', topic: 'When something is new in any coverage of' },
  /** Current state of the follow. */
  now: {
    none: 'You get no alerts about this.',
    some: (scope: 'all' | 'key', mail: boolean, push: boolean) =>
      `${scope === 'all' ? 'All updates come' : 'Key events come'} to you ${
        mail && push ? 'by e-mail and on your devices' : mail ? 'by e-mail' : 'on your devices'
      }.`,
  },
  done: {
    saved: 'Saved.',
    stopped: 'Stopped. No more alerts about this.',
    confirmed: 'Your address is confirmed.',
  },
  over: 'This coverage has ended: no more alerts come from it.',
  impossible: 'This newsroom cannot send alerts.',

  what: {
    legend: 'What',
    all: 'All updates',
    allHelp: (minutes: number) => `At most one alert in ${minutes} minutes, unless it is urgent.`,
    key: 'Key events only',
    keyHelp: 'Fewer: what the newsroom marks, and what is urgent.',
  },
  how: {
    legend: 'How',
    mail: 'By e-mail',
    mailHelp: (email: string) => `To ${email}.`,
    digest: (minutes: number) =>
      minutes === 60
        ? 'At most one mail an hour, with all that is new; at once when it is urgent.'
        : `At most one mail in ${minutes} minutes, with all that is new; at once when it is urgent.`,
    push: 'On this device',
    pushToo: 'On my devices',
    neither: 'Choose e-mail, a device, or both.',
    noDevice: 'No device of yours is set up. Choose e-mail, or allow notifications on this device.',
  },
  /** Push alerts on this device. */
  device: {
    script: 'Needs a script, which your browser does not run here.',
    install:
      'On an iPhone or iPad, first add this site to the home screen (Share, then Add to Home Screen). Open it from there and come back to this page.',
    unable: 'This browser cannot do it here: it is too old, or this is a private window.',
    denied:
      'Your browser blocks notifications of this site. Allow them in its settings for this site, then load this page again.',
    noCopies: 'This newsroom keeps nothing on devices, so nothing can be shown there.',
    ask: 'Your browser will ask whether this site may show notifications.',
    ready: 'This device is set up when you save.',
    here: 'This device is set up.',
    others: 'Alerts come to your other devices. This one is not set up.',
    other: 'This device shows the alerts of another account. When you save, it shows yours.',
    setting: 'Setting up…',
    failed:
      'It could not be set up: your browser did not reach the service that brings notifications. Try again, or choose e-mail.',
    refused: 'Notifications were not allowed. Choose e-mail, or allow them and try again.',
    alertsStopped: 'This device shows no more alerts.',
    add: 'Set up this device',
    take: 'No alerts on this device',
  },
  save: 'Save',
  stop: 'Stop all of it',
  all: 'All your alerts',
  privacy: 'Stored data and how long it is kept',

  /** For visitors who are not signed in. */
  nobody: {
    say: 'We mail you a link. When you confirm your address, the alerts begin, and you have an account to change or stop them. Every alert has a way to stop.',
    send: 'Mail me the link',
    device: 'For alerts on a device, or if you have an account:',
    signedOut: 'You have been signed out. Give your address, or sign in.',
    account: 'Alerts need an account here.',
  },
  /** On the page where a mailed link or code is used. */
  confirm: {
    title: 'Confirm your alerts',
    /** After it: the coverage or topic. */
    what: (scope: 'all' | 'key', name: string) =>
      `${scope === 'all' ? 'All updates' : 'Key events only'}, by e-mail, about “${name}”.`,
    say: 'The button confirms your address, begins these alerts and signs you in, in this browser.',
    press: 'Confirm and begin',
  },

  /** The page of the unsubscribe link. */
  unsubscribe: {
    title: 'Stop these e-mails',
    say: 'No more e-mails come to you about',
    press: 'Stop',
    stopped: 'Stopped',
    said: 'We send you no more e-mails about',
    again: 'If that was a mistake:',
    none: {
      title: 'Nothing to stop here',
      say: 'The link is not whole, or what it was for ended long ago. Copy all of it from the mail into the address bar.',
    },
  },

  /** Notification for a push message that cannot be read. */
  unread: 'There is news here.',
};
