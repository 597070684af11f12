import type { SurgeMode } from '../../domain/reader-coverage.ts';
import type { SiteFont } from '../../domain/site-look.ts';

/** Messages of a coverage's settings. */
export const settings = {
  title: 'Settings',
  of: (headline: string) => `Settings of ${headline}`,
  desk: 'Back to the desk',
  forbidden: 'Only editors can change the settings of a coverage.',
  signedOut: 'Your session has ended. Your text is still in this form: sign in, then send it again.',
  signedOutLost: 'Your session has ended. Sign in and do it again.',
  save: 'Save',
  meanwhile: (value: string) => `Saved by another person: ${value}`,
  nothing: 'nothing',
  checked: 'selected',
  unchecked: 'not selected',
  conflict:
    'Another person has changed this. Their value is shown below yours. Save again to replace it with yours.',

  parts: {
    words: 'Headline and standfirst',
    lead: 'Lead photo',
    address: 'Address',
    canonical: 'Canonical address',
    place: 'Time and language',
    topics: 'Topics',
    topic: 'Topic',
    following: 'How readers get updates',
    people: 'Contributors',
  },
  done: {
    words: 'Saved.',
    lead: 'The lead photo is saved.',
    address: 'The address is saved. The old one redirects to it.',
    canonical: 'The canonical address is saved.',
    place: 'Time and language are saved.',
    topics: 'The topics are saved.',
    topic: 'The topic is saved.',
    following: 'Saved. Open pages switch automatically.',
    added: 'Contributor added.',
    extended: 'Last day saved.',
    removed: 'Contributor removed.',
  },

  slugHelp: (address: string) =>
    `Now ${address}. If you change it, the old address redirects to the new one.`,

  canonical: {
    url: 'Address of this coverage on your other site',
    help: 'If this coverage is also on another site of yours, search engines show that page instead of this one. Enter an address that begins with https://, or leave it empty.',
  },

  lead: {
    automatic: 'Automatic: the photo of the newest key event',
    choose: 'Choose one of the photos.',
    none: 'No photos yet. Publish an update with a photo, then choose it here.',
  },

  topics: {
    choose: (most: number) => `At most ${most}.`,
    none: 'No topics yet. Create the first.',
    change: 'Change',
    changeOf: (name: string) => `Change the topic ${name}`,
    make: 'New topic',
    name: 'Name',
    slug: 'Slug',
    slugHelp:
      'The last part of the address, after /topics/. Use a-z, 0-9 and hyphens. Leave empty to make it from the name. It cannot be changed later.',
    slugStays: (slug: string) => `Its address stays /topics/${slug}.`,
    description: 'Description',
    add: 'Create and add',
    save: 'Save topic',
    leave: 'Cancel',
    slugInUse: 'There is a topic with this slug already. Choose it above.',
    tooMany: (most: number) => `Choose at most ${most} topics.`,
  },

  following: {
    surge: 'During a surge, open pages check once a minute.',
    surgeLink: 'Set surge mode for the site',
  },

  people: {
    help: (days: number) =>
      `Contributors write drafts here and submit them. Their access ends after ${days} days unless you choose another day.`,
    none: 'No contributors yet.',
    until: (time: string) => `until ${time}`,
    expired: (time: string) => `expired ${time}`,
    addedBy: (name: string) => `added by ${name}`,
    noContributor: (role: string) => `is now ${role}, with access to all coverages`,
    search: 'Name or handle of a contributor',
    find: 'Find',
    searchResults: 'Results',
    notFound: 'No contributor has that name or handle. An owner can invite people.',
    invite: 'Invite a person',
    day: 'Last day',
    dayWrong: 'Enter a day in the future, or leave it empty.',
    add: 'Add',
    extend: 'Set last day',
    remove: 'Remove',
    about: (action: string, name: string) => `${action}: ${name}`,
  },
};

/** Messages of the newsroom's settings. */
export const newsroomSettings = {
  preview: 'Preview',
  signedOut: 'Your session has ended. Your text is still in this form: sign in, then send it again.',
  sections: {
    identity: 'Identity',
    masthead: 'Logo, menu and fonts',
    place: 'Time and language',
    look: 'Look',
    about: 'About',
    embeds: 'Embeds',
    mail: 'E-mail',
    wordpress: 'WordPress',
    filing: 'Filing by chat',
    data: 'Data',
    advanced: 'Advanced',
  },
  done: {
    identity: 'Saved. The pages show the new name within seconds.',
    place: 'Time zone and language are saved.',
    look: 'The colours are saved.',
    about: 'The about page is saved.',
    embeds: 'Saved. The setting applies from now on.',
    advanced: 'Saved.',
  },
  more: { about: 'View the about page' },

  name: 'Name',
  tagline: 'Tagline',
  taglineHelp: 'A few words under the name on the front page.',
  timeZone: 'Time zone',
  timeZoneHelp: 'Pages show times in this zone. New coverages start with it.',
  language: 'Language',
  languageHelp: (names: string) =>
    `Menus and buttons are available in ${names}. For any other language they are in English.`,
  publisher: 'Legal name of the publisher',
  publisherHelp: 'The person or company responsible for the site.',
  contact: 'Contact',
  contactHelp: 'Address, telephone or e-mail. Shown on the about page.',

  accent: 'Colour in light mode',
  accentDark: 'Colour in dark mode',
  colourHelp: (standard: string) => `Marks live and urgent items. Leave empty for the default, ${standard}.`,
  colourPicker: 'Dark colours are easiest to read in light mode, light colours in dark mode.',
  pickColour: (label: string) => `${label}: choose`,
  noColour: 'Enter a colour as # and six digits from 0 to 9 or a to f, such as #0b5fa5, or leave it empty.',
  tooFaint: (ratio: string, need: string) =>
    `This colour has a contrast of ${ratio} with the background. Text needs at least ${need}.`,
  take: (colour: string) => `use ${colour}, which is readable`,
  sampleLive: 'Live',
  sampleLine: 'Updated 13:58',
  sampleContrast: (ratio: string) => `contrast ${ratio}`,
  sampleFaint: (need: string) => `too low: text needs ${need}`,

  about: 'About the newsroom',
  aboutHelp: (most: string) =>
    `Shown at the top of the about page. **bold**, *italic*, [text](address), - list, > quote. At most ${most} characters.`,
  aboutNone: 'No text yet. The about page shows the editorial standards, the publisher and the contact.',

  mail: {
    on: 'E-mail is set up.',
    onHelp: 'Alerts, invitations and sign-in links are sent by e-mail.',
    off: 'E-mail is not set up.',
    offHelp:
      'Readers cannot get alerts by e-mail, and invitations are links that you pass on. To send e-mail, set SMTP_URL on the server and restart it.',
    invite: 'Invite a person',
  },
  backupsTitle: 'Backups',
  backups:
    'The server makes a backup every day (STOPPRESS_BACKUP_AT). To make one now, run npm run backup. Supabase backs up the database of a Supabase project.',

  follow: 'How open pages get updates',
  followHelp:
    'Automatic: instantly, or by checks when there are many readers. The settings of a coverage can override this.',
  interval: 'Seconds between checks',
  intervalHelp: (least: number, most: number) => `From ${least} to ${most}.`,
  intervalWrong: (least: number, most: number) => `Enter a whole number from ${least} to ${most}.`,

  quiet: 'Remind after (hours without updates)',
  quietHelp: (most: number) =>
    `The desk of a live coverage is reminded after this time. From 1 to ${most}; 0 turns reminders off.`,
};

/** Messages of the site's settings. */
export const site = {
  title: 'Site settings',
  /** Link in the navigation of the desk. */
  link: 'Site',
  notYours: 'Only owners can change the site settings.',
  copies: 'Save pages on readers’ devices',
  copiesHelp:
    'Pages that a reader has opened can be read again offline. If you turn this off, devices delete their saved pages at the next visit.',
  save: 'Save',
};

/** Messages of the surge switch. */
export const surge = {
  title: 'Surge mode',
  help: 'During a surge, open pages check for updates once a minute instead of receiving them instantly, so the server can serve many more readers.',
  modes: {
    auto: 'Automatic: on while the server is busy',
    on: 'On until this is changed',
    off: 'Off, even if the server is busy',
  } satisfies Record<SurgeMode, string>,
  set: 'Save',
  change: 'Change',
  now: {
    /** Before and after the start time. */
    on: ['Pages check for updates once a minute since', 'because an editor turned surge mode on.'],
    auto: ['Pages check for updates once a minute since', 'because the server is busy.'],
    usual: 'Surge mode is not active.',
  },
  choose: 'Choose one of the three options.',
};

/** Messages of the setup page. */
export const setup = {
  title: 'Set up this newsroom',
  what: 'You become the owner of this newsroom. You can change everything later.',
  newsroom: 'Your newsroom',
  you: 'Your account',
  code: 'Setup code',
  codeHelp: 'The server printed it when it started.',
  siteName: 'Name of the newsroom',
  haveAccount: 'Do you already have an account here?',
  signInFirst: 'Sign in first',
  asYou: (name: string) => `You are signed in as ${name} and become the owner.`,
  submit: 'Set up newsroom',
  problems: {
    code: 'This code is not valid. Copy the code that the server printed last: each start makes a new one.',
    siteName: 'Enter the name of the newsroom.',
    emailInUse: 'This address already has an account. Sign in with it, then open this page again.',
    signInYourself: 'You are the owner now. Sign in with your address and password.',
  },
  checklist: {
    title: 'Get started',
    progress: (done: number, all: number) => `${done} of ${all} done`,
    steps: {
      name: 'Name the newsroom',
      place: 'Choose time zone and language',
      look: 'Choose your colours',
      invite: 'Invite a colleague',
      coverage: 'Create the first coverage',
    },
    isDone: 'done',
    dismiss: 'Hide this list',
  },
};

const EXPORT_ADVICE = 'Export it as plain SVG, with shapes and with colours as attributes, or as PNG.';

/** Messages of logo, menu and fonts: on the pages of readers, and in the form for owners. */
export const siteIdentity = {
  /** Before the name of the sponsor. */
  sponsoredBy: 'Sponsor:',
  menuOf: (site: string) => `Menu of ${site}`,

  help: 'Readers see these on every page. Press Preview to look at them before you save.',
  saved: 'Saved. The pages show it within seconds.',
  view: 'View the front page',
  images: 'Logo',
  imageHelp:
    'An SVG of at most 64 KB, or a PNG of at most 300 KB. It replaces the name at the top of the pages, at most 32 pixels high.',
  imageFields: {
    logo: 'Logo',
    logo_dark: 'Logo for dark mode',
    icon: 'Icon',
  },
  imageFieldHelp: {
    logo: 'The icon of the site is made from it too.',
    logo_dark: 'Optional. Without it, dark mode shows the logo on a light background.',
    icon: 'Optional: a square image for browser tabs and phones.',
  },
  remove: 'Remove this image',
  menu: 'Menu',
  menuHelp: (most: number) => `Up to ${most} links in a row under the name. Empty rows are left out.`,
  menuLabel: (row: number) => `Link ${row}: label`,
  menuUrl: (row: number) => `Link ${row}: address`,
  links: 'Links and sponsor',
  linkFields: {
    newspaper_link: {
      label: 'Link to the newspaper: label',
      url: 'Link to the newspaper: address',
      help: 'The first link of the row.',
    },
    support_link: {
      label: 'Support link: label',
      url: 'Support link: address',
      help: 'The page on which readers support you. The last link of the row, in bold.',
    },
    sponsor: {
      label: 'Sponsor',
      url: 'Address of the sponsor',
      help: 'Optional. The name stands at the foot of the pages, after the word “Sponsor”.',
    },
  },
  fonts: 'Fonts',
  headlineFont: 'Headlines',
  textFont: 'Texts',
  fontHelp: 'Fonts that devices have already, so that pages load as fast as before.',
  fontNames: {
    serif: 'Serif',
    old_style: 'Old style serif',
    sans: 'Sans serif',
    humanist: 'Humanist sans serif',
  } satisfies Record<SiteFont, string>,
  previewTitle: 'Preview: not saved yet',
  previews: { phone: 'Phone', dark: 'Phone in dark mode', desk: 'Computer' },
  sampleHeadline: 'River rises at the old bridge',
  sampleText: 'Council workers close Quay Street. The school is open for everyone who has to leave home.',

  /** Why an image was refused. `name` is an element or attribute of the file. */
  imageProblems: {
    image_format: () => 'Choose an SVG or PNG file.',
    png_unreadable: () =>
      'The PNG cannot be read, or is too large for a logo. Save it again with fewer pixels.',
    svg_unreadable: () => 'The file is damaged or no SVG. Export it again.',
    svg_too_large: () =>
      'The file is too large. An SVG may have 64 KB, and 32 KB after cleaning; a PNG 300 KB.',
    svg_too_complex: () =>
      `The drawing has more than 1,000 parts, or they are nested too deeply. ${EXPORT_ADVICE}`,
    svg_without_size: () =>
      'The drawing has no size, or one side is more than 12 times the other. Set its size and export it again.',
    svg_active: (name: string) =>
      `The file contains “${name}”, which is not allowed in a logo. ${EXPORT_ADVICE}`,
    svg_element: (name: string) =>
      `The file contains “${name}”, which is no shape. Convert text and effects to shapes. ${EXPORT_ADVICE}`,
    svg_reference: (name: string) => `The file refers to another place in “${name}”. ${EXPORT_ADVICE}`,
  },
};
