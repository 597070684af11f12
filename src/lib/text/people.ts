/** Words of the owner's page of people. */
export const people = {
  title: 'People',
  search: 'Name, handle or e-mail address',
  find: 'Find',
  all: 'Everybody',
  invite: 'Invite somebody',
  none: 'Nobody here has that name, handle or address.',
  more: 'More',
  first: 'From the beginning',
  notYours: 'Only owners see the people of this newsroom.',
  change: (name: string) => `Change ${name}`,
  changeThis: 'Change',
  you: 'you',

  role: 'Role',
  saveRole: 'Save role',
  active: 'Active',
  deactivated: 'Deactivated',
  deactivate: 'Deactivate',
  activate: 'Activate',
  deactivateHelp:
    'Signs them out everywhere at once. Nobody can sign in to the account until it is activated.',
  unconfirmed: 'address not confirmed',
  noAddress: 'no address',
  lastSeen: 'last signed in',
  never: 'never signed in',

  makeLink: 'Make a link to copy',
  makeLinkHelp: 'For who cannot get in: it lets them choose a new password. Give it to nobody else.',

  done: {
    role: 'The role is saved. It counts from now on.',
    deactivated: 'The account is deactivated and signed out everywhere.',
    activated: 'The account is active again.',
    mailed: 'The invitation is mailed.',
  },

  invitation: {
    title: 'Invite somebody',
    what: 'They follow a link, choose a password and are in, with the role that you give them here.',
    name: 'Name',
    nameHelp: 'As it would stand under what they write. They can change it.',
    email: 'E-mail address',
    byMail: 'Send by mail',
    byLink: 'Make a link to copy',
    known: 'This address has an account already. Find it in the list and change its role there.',
    look: 'Find the account',
    noMail: 'This newsroom sends no mail. Make a link to copy, and hand it over yourself.',
    notMailed: 'No mail could be sent. Make a link to copy, and hand it over yourself, or try again later.',
  },

  link: {
    title: (name: string) => `A link for ${name}`,
    invited: 'Whoever opens it first chooses the password of the account and is in.',
    known: 'Whoever opens it first chooses a new password of the account and is in.',
    care: 'Hand it over where only they can read it. It works once, for an hour, and is shown here only now. A new one makes this one useless.',
    label: 'Link',
    back: 'Back to the people',
  },

  problems: {
    role: 'Choose a role.',
    inactive: 'This account is deactivated. Activate it first, then make the link.',
    gone: 'There is no such account any more.',
  },
};
