import { LIMITS } from '../../domain/limits.ts';
import type { Role } from '../../domain/permissions.ts';

/** Permissions of each role, shown before it is assigned. */
const MEANINGS: Record<Role, string> = {
  reader: 'gets alerts and sends tips',
  contributor: 'writes drafts for chosen coverages',
  reporter: 'writes in all coverages, publishes and corrects their own updates',
  moderator: 'reads all desks and handles tips',
  editor: 'publishes and corrects all updates, runs coverages, handles tips',
  owner: 'everything that editors do, and people, roles and the site',
};

/** Messages of the page of people. */
export const people = {
  meaning: (name: string, role: Role) => `${name}: ${MEANINGS[role]}`,
  activateHelp: 'The person can sign in again, with the same role.',
  title: 'People',
  search: 'Name, handle or e-mail address',
  find: 'Find',
  all: 'Everybody',
  invite: 'Invite a person',
  log: 'Activity log',
  none: 'No person has that name, handle or address.',
  more: 'More',
  first: 'First page',
  notYours: 'Only owners see this page.',
  change: (name: string) => `Change ${name}`,
  changeThis: 'Change',
  you: 'you',

  role: 'Role',
  saveRole: 'Save role',
  active: 'Active',
  deactivated: 'Deactivated',
  deactivate: 'Deactivate',
  activate: 'Activate',
  deactivateHelp: 'The person is signed out everywhere and cannot sign in until the account is activated.',
  unconfirmed: 'address not confirmed',
  noAddress: 'no address',
  lastSeen: 'last signed in',
  never: 'never signed in',

  one: {
    handle: 'Handle',
    since: 'Account since',
    deleted: 'This account was deleted. Its published updates keep their byline.',
    public: 'Public page',
    roleTitle: 'Role',
    standingTitle: 'Account',
    placesTitle: 'Access to coverages',
    noPlaces: 'None.',
    until: 'until',
    ended: 'ended',
    invitesTitle: 'Invitations',
    log: 'Activity log of this person',
    deactivates: 'The person is signed out everywhere and cannot sign in. Their updates remain.',
  },

  makeLink: 'Create sign-in link',
  makeLinkHelp:
    'For a person who cannot sign in. The link lets them choose a new password. Give it only to them.',

  done: {
    role: 'The role is saved.',
    deactivated: 'The account is deactivated and signed out everywhere.',
    activated: 'The account is active again.',
  },

  link: {
    title: (name: string) => `A link for ${name}`,
    invited: 'The first person to open it chooses the password of the account.',
    known: 'The first person to open it chooses a new password for the account.',
    care: 'Send it to this person only. It works once, for an hour, and is shown only now. A new link replaces it.',
    label: 'Link',
    back: 'Back to people',
  },

  problems: {
    role: 'Choose a role.',
    inactive: 'This account is deactivated. Activate it first, then create the link.',
    gone: 'This account no longer exists.',
  },
};

const days = (count: number) => (count === 1 ? '1 day' : `${count} days`);

/** Messages of invites, for owners and for invited people. */
export const invites = {
  title: 'Invitations',
  open: (count: number) => (count === 1 ? '1 open invitation' : `${count} open invitations`),
  all: 'All invitations',
  none: 'No invitations yet. Invite a person.',
  kept: `Invitations are listed for ${days(LIMITS.invite_kept_days)} after they end.`,
  more: 'Older',
  states: { pending: 'open', accepted: 'accepted', revoked: 'revoked', expired: 'expired' },
  as: (role: string) => `as ${role}`,
  forCoverage: (headline: string, count: number) => `for “${headline}”, ${days(count)} from acceptance`,
  by: (name: string) => `by ${name}`,
  until: 'valid until',
  ended: 'ended',
  deleted: 'Deleted account',
  change: (name: string) => `Change the invitation of ${name}`,
  changeThis: 'Change',
  mailAgain: 'Send again by e-mail',
  linkAgain: 'Create new link',
  againHelp: `The earlier link stops working. The new one is valid for ${days(LIMITS.invite_days)}.`,
  revoke: 'Revoke',
  revokeHelp: 'The link stops working.',
  done: {
    mailed: 'Invitation sent.',
    revoked: 'Invitation revoked. Its link no longer works.',
  },

  form: {
    title: 'Invite a person',
    what: `The person opens a link and chooses a password. The link works once, for ${days(LIMITS.invite_days)}.`,
    name: 'Name',
    nameHelp: 'Shown as their byline. They can change it.',
    email: 'E-mail address',
    role: 'Role',
    contributor: 'For a contributor',
    coverage: 'Coverage',
    coverageHelp: 'A contributor writes for this coverage only.',
    choose: 'Choose a coverage',
    days: 'Days',
    daysHelp: 'From the day they accept.',
    byMail: 'Send by e-mail',
    byLink: 'Create invitation link',
    noMail: 'E-mail is not set up, so you get a link to pass on.',
    look: 'Find the account',
  },

  link: {
    title: (name: string) => `An invitation for ${name}`,
    notMailed: {
      off: 'E-mail is not set up. Pass the link on yourself.',
      failed: 'The e-mail could not be sent. Pass the link on yourself, or send it again later.',
    },
    what: 'The first person to open it chooses the password of the account. A person with an account signs in and accepts.',
    care: `Send it to this person only. It works once, for ${days(LIMITS.invite_days)}, and is shown only now.`,
    label: 'Link',
    back: 'Back to invitations',
  },

  problems: {
    sending: 'The invitation could not be sent right now. Your text is kept: try again in a moment.',
    days: `Enter a whole number of days from ${LIMITS.contributor_days_min} to ${LIMITS.contributor_days_max}.`,
  },

  opened: {
    title: (site: string) => `You are invited to ${site}`,
    who: (by: string, role: string) => `${by} invites you to work here as ${role}.`,
    coverage: (headline: string | undefined, count: number) =>
      headline
        ? `You would write for “${headline}”, for ${days(count)}.`
        : `You would write for an unpublished coverage, for ${days(count)}.`,
    until: 'This invitation is valid until',
    yours: (email: string) => `It is for ${email}.`,
    choose: 'Choose the password of your account.',
    join: 'Create account and accept',
    known: 'There is an account with this address. Sign in with it, then accept.',
    signIn: 'Sign in',
    accept: 'Accept',
    signedInAs: (name: string) => `You are signed in as ${name}.`,
    wrongPerson: (name: string) =>
      `You are signed in as ${name}, who has another address. Sign out, then open the link again.`,
    gone: {
      title: 'This invitation is no longer valid',
      accepted: 'It has been accepted. If that was you, sign in.',
      revoked: 'It has been revoked. Ask for another invitation.',
      expired: 'It has expired. Ask for another invitation.',
    },
    unknown: {
      title: 'Invitation not found',
      say: 'The link may be incomplete, or a newer one was sent. Ask for another invitation.',
    },
  },
};
