import type { Role } from '../../domain/permissions.ts';

/** Permissions of each role, shown before it is assigned. */
const MEANINGS: Record<Role, string> = {
  reader: 'reads and sends tips, as everybody',
  contributor: 'writes for the coverages that an editor adds them to',
  reporter: 'writes everywhere, publishes and corrects their own',
  moderator: 'reads every desk and handles tips, writes nothing',
  editor: 'publishes and corrects everything, runs coverages, handles tips',
  owner: 'does what an editor does, and people, roles and the site',
};

/** Messages of the page of people. */
export const people = {
  meaning: (name: string, role: Role) => `${name}: ${MEANINGS[role]}`,
  activateHelp: 'They can sign in again, with the role that they had.',
  title: 'People',
  search: 'Name, handle or e-mail address',
  find: 'Find',
  all: 'Everybody',
  invite: 'Invite somebody',
  log: 'What was done',
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

  one: {
    handle: 'Name in addresses',
    since: 'Account since',
    deleted: 'This account was deleted. What was published under it stays signed.',
    public: 'What readers see of them',
    roleTitle: 'Role',
    standingTitle: 'Standing',
    placesTitle: 'Places in coverages',
    noPlaces: 'None.',
    until: 'until',
    ended: 'ended',
    invitesTitle: 'Invitations',
    log: 'What they did, and what was done to them',
    deactivates: 'They are signed out everywhere at once, and cannot sign in. What they wrote stays.',
  },

  makeLink: 'Make a link to copy',
  makeLinkHelp: 'For who cannot get in: it lets them choose a new password. Give it to nobody else.',

  done: {
    role: 'The role is saved. It counts from now on.',
    deactivated: 'The account is deactivated and signed out everywhere.',
    activated: 'The account is active again.',
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
