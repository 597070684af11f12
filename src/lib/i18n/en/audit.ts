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
