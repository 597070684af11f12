/** Messages of the page *WordPress* of the site's settings. */
export const wordpress = {
  what: 'With a user of your WordPress, editors make a WordPress draft of an update at the desk: headline, text, photos and a link back.',
  url: 'Address of WordPress',
  urlHelp: 'The part before /wp-admin, such as https://courier.example.',
  username: 'User of WordPress',
  usernameHelp: 'A user with the role author or editor there. Drafts have this user as their author.',
  password: 'Application password',
  passwordHelp:
    'Made in WordPress under Users → Profile → Application Passwords. It is stored encrypted and never shown again.',
  save: 'Save and test',
  test: 'Test',
  remove: 'Disconnect',
  connected: (url: string, username: string) => `Connected with ${url} as ${username}.`,
  tested: (name: string) =>
    `WordPress accepts the password of ${name}, who may write posts and upload photos.`,
  testedWithoutPhotos: (name: string) =>
    `WordPress accepts the password of ${name}, who may write posts but not upload photos. Give the user the role author or editor to bring photos over.`,
  done: {
    saved: 'Saved.',
    removed: 'Disconnected. The password is deleted. In WordPress, revoke it too.',
    accepted: 'Done.',
    declined: 'Declined. The data that WordPress sent is deleted.',
  },
  transfer: {
    title: 'Bring staff over',
    what: 'With the plugin in your WordPress, bring staff, name, colour, logo and menu over. Nothing changes and no invitation is sent before you accept it here.',
    make: 'Make a code',
    code: 'Code for WordPress',
    codeHelp:
      'Enter it in WordPress under Settings → Live coverage → Bring over. It is valid once, for an hour, and not shown again.',
    waiting: (time: string) =>
      `A code waits for WordPress until ${time}. Reload this page when WordPress has sent its data. A new code replaces it.`,
    received: (time: string) => `WordPress sent this on ${time}. Choose what to take.`,
    name: (name: string) => `Name: ${name}`,
    accent: (colours: string) => `Colours: ${colours}`,
    logo: 'Logo',
    menu: (labels: string) => `Menu: ${labels}`,
    people: 'People to invite',
    person: (name: string, email: string, role: string) => `${name} (${email}): ${role}`,
    noPeople: 'WordPress sent no people.',
    coverage: 'Coverage of the contributors',
    coverageHelp: 'Contributors write for one coverage.',
    accept: 'Accept and invite',
    decline: 'Decline',
    invited: (name: string) => `${name} is invited by e-mail.`,
    link: (name: string) => `${name}: pass this link on. It is not shown again.`,
    refused: (name: string, sentence: string) => `${name}: ${sentence}`,
    again:
      'Some invitations could not be made. Press again in a while: those that are made already stay as they are.',
    changed: 'WordPress has sent something else since you opened this page. Check it, then accept it again.',
    gone: 'This is no longer there. Another owner has decided, or a week has passed. Make a new code.',
  },
};

/** Messages about filing by chat: the owner's page, and the part of the account page. */
export const filing = {
  channels: { telegram: 'Telegram' },
  linkedAt: (time: string) => `Linked ${time}`,
  lastFiledAt: (time: string) => `last message ${time}`,
  neverFiled: 'no message yet',
  unlink: 'Unlink',
  unlinkOf: (name: string, person: string) => `Unlink ${name} from ${person}`,

  site: {
    what: 'People of the newsroom write updates in a Telegram chat with your bot. Their messages wait for an editor at the desk.',
    how: 'Open a chat with @BotFather in Telegram, send /newbot, and copy the token that it shows.',
    token: 'Token of the bot',
    tokenHelp: 'It is stored encrypted and never shown again.',
    connect: 'Connect',
    connected: (account: string) => `Connected with ${account}.`,
    test: 'Send me a test',
    testText: 'This is a test of your newsroom. The bot can write to you.',
    disconnect: 'Disconnect',
    done: {
      connected: 'Connected. Make a code on your account page to link your own chat.',
      tested: 'Sent. Look into your chat with the bot.',
      disconnected: 'Disconnected. The token is deleted. Links to people remain for a new bot.',
      trusted: 'Saved. The messages are published at once, if the person may publish.',
      distrusted: 'Saved. The messages wait for an editor.',
      unlinked: 'Unlinked. Messages from this chat are refused from now on.',
    },
    people: 'Linked people',
    none: 'No chat is linked. People make a code on their account page and send it to the bot.',
    inactive: 'may not write',
    publishes: 'publishes at once',
    trust: 'Publish at once',
    trustOf: (name: string, person: string) => `Publish messages of ${name}, ${person}, at once`,
    distrust: 'Wait for an editor',
    distrustOf: (name: string, person: string) => `Messages of ${name}, ${person}, wait for an editor`,
    refusals: 'Refused messages of the last 7 days',
    refusalsHelp: 'Nothing of them is stored but their number.',
    reasons: {
      forged: 'not from Telegram',
      unlinked: 'from chats that are not linked',
      inactive: 'from people who may not write any more',
      code: 'with a wrong, used or expired code',
    },
    refused: (number: string, reason: string) => `${number} ${reason}`,
  },

  account: {
    title: 'File by chat',
    what: 'Link a chat to write updates from your phone. They wait for an editor at the desk. The bot replies when they are published.',
    make: (channel: string) => `File by ${channel}`,
    code: 'Code',
    codeHelp: (account: string, time: string) =>
      `Send it to ${account}. It is valid once, until ${time}. A new code replaces it.`,
    open: (channel: string) => `Send it with ${channel}`,
  },
};
