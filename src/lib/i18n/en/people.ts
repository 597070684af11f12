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

/** Values of a log entry's sentence: names and display texts. */
export type LogSentenceValues = {
  by: string;
  /** The person concerned. */
  person: string;
  /** Headline of the coverage, or its slug. */
  coverage: string;
  from: string;
  to: string;
  role: string;
  /** Expiry date and time. */
  until: string;
  number: string;
  version: string;
  fields: string;
  slug: string;
  /** Whether a membership ended. */
  ends: boolean;
};

/** Messages of the activity log. */
export const audit = {
  title: 'Activity log',
  what: 'Changes to people, coverages, the site and published content. Entries are kept permanently and cannot be changed. Texts of updates are in their edit history.',
  none: 'No entries match these filters.',
  server: 'The server',
  unknownPerson: 'somebody',
  something: 'a coverage',
  filter: {
    legend: 'Show only',
    person: 'Person',
    anyPerson: 'Any person',
    action: 'Action',
    anything: 'Any action',
    coverage: 'Coverage',
    any: 'Any coverage',
    since: 'From',
    until: 'To',
    show: 'Show',
  },
  notYours: 'Only owners see the activity log.',
  back: 'People',
  newest: 'Newest',
  older: 'Older',
  actions: {
    set_role: 'Roles',
    activate: 'Accounts activated',
    deactivate: 'Accounts deactivated',
    delete_account: 'Accounts deleted',
    invite: 'Invitations created',
    renew_invite: 'Invitations sent again',
    revoke_invite: 'Invitations revoked',
    accept_invite: 'Invitations accepted',
    create_first_owner: 'The first owner',
    create_coverage: 'Coverages created',
    import_coverage: 'Coverages imported',
    save_coverage: 'Settings of coverages',
    set_coverage_state: 'States of coverages',
    set_coverage_member: 'Contributors',
    set_lead_photo: 'Lead photos',
    set_canonical_url: 'Canonical addresses',
    save_topic: 'Topics',
    withdraw_update: 'Updates withdrawn',
    redact_revision: 'Versions redacted',
    replace_photo: 'Photos replaced',
    remove_photo: 'Photos removed',
    save_site: 'Site settings',
    save_site_identity: 'Logo, menu and fonts',
    arrange_front_page: 'Front page order',
    set_surge: 'Surges',
    save_wordpress: 'WordPress connected',
    remove_wordpress: 'WordPress disconnected',
    make_wordpress_draft: 'WordPress drafts',
    offer_wordpress_transfer: 'Codes for WordPress',
    close_wordpress_transfer: 'Transfers from WordPress',
    connect_filing_channel: 'Chats connected',
    remove_filing_channel: 'Chats disconnected',
    link_filing_sender: 'Chats linked',
    unlink_filing_sender: 'Chats unlinked',
    trust_filing_sender: 'Chats that publish',
    distrust_filing_sender: 'Chats that wait for an editor',
    refuse_forged_filing: 'Forged messages',
    refuse_unlinked_filing: 'Messages of unlinked chats',
    refuse_inactive_filing: 'Messages of inactive people',
    refuse_code_filing: 'Wrong codes for filing',
    export: 'Exports',
  },
  sentences: {
    set_role: ({ by, person, from, to }: LogSentenceValues) =>
      `${by} changed the role of ${person} from ${from} to ${to}`,
    activate: ({ by, person }: LogSentenceValues) => `${by} activated the account of ${person}`,
    deactivate: ({ by, person }: LogSentenceValues) => `${by} deactivated the account of ${person}`,
    delete_account: ({ by, person }: LogSentenceValues) => `${by} deleted the account of ${person}`,
    invite: ({ by, person, role }: LogSentenceValues) => `${by} invited ${person} as ${role}`,
    renew_invite: ({ by, person, role }: LogSentenceValues) =>
      `${by} sent ${person}’s invitation as ${role} again`,
    revoke_invite: ({ by, person, role }: LogSentenceValues) =>
      `${by} revoked ${person}’s invitation as ${role}`,
    accept_invite: ({ by, role }: LogSentenceValues) => `${by} accepted the invitation as ${role}`,
    create_first_owner: ({ person }: LogSentenceValues) => `${person} became the first owner`,
    create_coverage: ({ by, coverage }: LogSentenceValues) => `${by} created the coverage “${coverage}”`,
    import_coverage: ({ by, coverage }: LogSentenceValues) => `${by} imported “${coverage}” from a folder`,
    save_coverage: ({ by, coverage, fields }: LogSentenceValues) =>
      `${by} changed ${fields} of “${coverage}”`,
    set_coverage_state: ({ by, coverage, from, to }: LogSentenceValues) =>
      `${by} changed the state of “${coverage}” from ${from} to ${to}`,
    set_coverage_member: ({ by, coverage, person, until, ends }: LogSentenceValues) =>
      ends
        ? `${by} ended the access of ${person} to “${coverage}”`
        : `${by} gave ${person} access to “${coverage}” until ${until}`,
    set_lead_photo: ({ by, coverage }: LogSentenceValues) => `${by} changed the lead photo of “${coverage}”`,
    set_canonical_url: ({ by, coverage }: LogSentenceValues) =>
      `${by} changed the canonical address of “${coverage}”`,
    save_topic: ({ by, slug }: LogSentenceValues) => `${by} saved the topic “${slug}”`,
    withdraw_update: ({ by, coverage, number }: LogSentenceValues) =>
      `${by} withdrew update ${number} of “${coverage}”`,
    redact_revision: ({ by, coverage, number, version }: LogSentenceValues) =>
      `${by} redacted version ${version} of update ${number} of “${coverage}”`,
    replace_photo: ({ by, coverage }: LogSentenceValues) => `${by} replaced a photo of “${coverage}”`,
    remove_photo: ({ by, coverage }: LogSentenceValues) => `${by} removed a photo of “${coverage}”`,
    arrange_front_page: ({ by }: LogSentenceValues) => `${by} arranged the front page`,
    save_site: ({ by, fields }: LogSentenceValues) => `${by} changed ${fields} of the site`,
    save_site_identity: ({ by, fields }: LogSentenceValues) => `${by} changed ${fields} of the site`,
    set_surge: ({ by, from, to }: LogSentenceValues) => `${by} changed surge mode from ${from} to ${to}`,
    save_wordpress: ({ by }: LogSentenceValues) => `${by} connected WordPress`,
    remove_wordpress: ({ by }: LogSentenceValues) => `${by} disconnected WordPress`,
    make_wordpress_draft: ({ by, coverage, number }: LogSentenceValues) =>
      `${by} made a WordPress draft from update ${number} of “${coverage}”`,
    offer_wordpress_transfer: ({ by }: LogSentenceValues) =>
      `${by} made a code for a transfer from WordPress`,
    close_wordpress_transfer: ({ by }: LogSentenceValues) => `${by} decided about a transfer from WordPress`,
    connect_filing_channel: ({ by }: LogSentenceValues) => `${by} connected a bot for filing`,
    remove_filing_channel: ({ by }: LogSentenceValues) => `${by} disconnected the bot for filing`,
    link_filing_sender: ({ by }: LogSentenceValues) => `${by} linked a chat for filing`,
    unlink_filing_sender: ({ by, person }: LogSentenceValues) => `${by} unlinked a chat of ${person}`,
    trust_filing_sender: ({ by, person }: LogSentenceValues) =>
      `${by} let a chat of ${person} publish at once`,
    distrust_filing_sender: ({ by, person }: LogSentenceValues) =>
      `${by} made messages of ${person} wait for an editor`,
    refuse_forged_filing: ({ by }: LogSentenceValues) =>
      `${by} refused messages for filing that did not come from the channel`,
    refuse_unlinked_filing: ({ by }: LogSentenceValues) =>
      `${by} refused messages for filing from chats that are not linked`,
    refuse_inactive_filing: ({ by }: LogSentenceValues) =>
      `${by} refused messages for filing from people who may not write`,
    refuse_code_filing: ({ by }: LogSentenceValues) => `${by} refused wrong codes for filing`,
    export: ({ by }: LogSentenceValues) => `${by} exported all data`,
  },
  /** For actions without a sentence of their own. */
  other: ({ by }: LogSentenceValues, action: string) => `${by}: ${action}`,
  surge: { auto: 'automatic', on: 'on', off: 'off' },
  fields: {
    slug: 'the slug',
    kicker: 'the kicker',
    headline: 'the headline',
    standfirst: 'the standfirst',
    time_zone: 'the time zone',
    language: 'the language',
    starts_at: 'the start',
    topics: 'the topics',
    reader_follow_mode: 'how readers get updates',
    check_interval_seconds: 'the interval of checks',
    name: 'the name',
    tagline: 'the tagline',
    publisher: 'the publisher',
    contact: 'the contact',
    offline_pages: 'saved pages on readers’ devices',
    accent: 'the colour',
    accent_dark: 'the dark colour',
    about: 'the about page',
    quiet_hours: 'the reminder about quiet coverages',
    setup_checklist: 'the setup checklist',
    embed_origins: 'the sites that may embed coverage',
    logo: 'the logo',
    logo_dark: 'the dark logo',
    icon: 'the icon',
    menu: 'the menu',
    newspaper_link: 'the link to the newspaper',
    support_link: 'the support link',
    sponsor: 'the sponsor',
    text_font: 'the font of texts',
    headline_font: 'the font of headlines',
  },
};
