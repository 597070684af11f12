import type { SurgeMode } from '../../domain/reader-coverage.ts';

/** Messages of a coverage's settings. */
export const settings = {
  title: 'Settings',
  of: (headline: string) => `Settings of ${headline}`,
  desk: 'Back to its desk',
  forbidden: 'Only editors change the settings of a coverage.',
  signedOut: 'Your session has ended. Your text is still in this form: sign in, then send it again.',
  signedOutLost: 'Your session has ended. Sign in and do it again.',
  save: 'Save',
  meanwhile: (value: string) => `Saved by somebody else meanwhile: ${value}`,
  nothing: 'nothing',
  conflict:
    'Somebody else has changed this meanwhile. What they saved stands below what you typed. Save again to put yours in its place.',

  parts: {
    words: 'Words',
    address: 'Address',
    place: 'Time and language',
    topics: 'Topics',
    topic: 'Topic',
    following: 'How readers follow',
    people: 'Contributors',
  },
  done: {
    words: 'The words are saved.',
    address: 'The address is saved. The old one leads on to it.',
    place: 'Time and language are saved.',
    topics: 'The topics are saved.',
    topic: 'The topic is saved.',
    following: 'Saved. Open pages switch automatically.',
    added: 'They are added.',
    extended: 'Their time is set.',
    removed: 'They have no place here any more.',
  },

  slugHelp: (address: string) =>
    `Now ${address}. When you change it, the old address leads readers on to the new one.`,
  /** Writing direction of a language, after its name. */
  language: (name: string, direction: 'ltr' | 'rtl') =>
    `${name}, written from ${direction === 'rtl' ? 'right to left' : 'left to right'}. `,

  topics: {
    choose: (most: number) => `At most ${most}.`,
    none: 'There is no topic yet.',
    change: 'Change',
    changeOf: (name: string) => `Change the topic ${name}`,
    make: 'A new topic',
    name: 'Name',
    slug: 'Slug',
    slugHelp:
      'Its address: /topics/… of a-z, 0-9 and hyphens. Left empty, it is made from the name. It stays for good.',
    slugStays: (slug: string) => `Its address stays /topics/${slug}.`,
    description: 'Description',
    add: 'Make it and add it',
    save: 'Save topic',
    leave: 'Leave it as it is',
    slugInUse: 'There is a topic with this address already. Choose it above.',
    tooMany: (most: number) => `Choose at most ${most} topics.`,
  },

  following: {
    surge: 'In a surge all readers ask seldom.',
    surgeLink: 'Set a surge for the whole site',
  },

  people: {
    help: (days: number) =>
      `Contributors write here and hand in; they publish nothing. A place ends after ${days} days unless you say another day.`,
    none: 'No contributors.',
    until: (time: string) => `until ${time}`,
    expired: (time: string) => `expired ${time}`,
    addedBy: (name: string) => `added by ${name}`,
    noContributor: (role: string) => `is ${role} now, and sees this coverage by that`,
    search: 'Name or handle of a contributor',
    find: 'Find',
    searchResults: 'Results',
    notFound: 'No contributor has that name or handle. An owner can invite people.',
    invite: 'Invite a person',
    day: 'Last day',
    dayWrong: 'Give a day to come, or leave it empty.',
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
  parts: {
    words: 'Name and publisher',
    colours: 'Colours',
    about: 'About page',
    readers: 'Readers',
    frames: 'Other sites',
    desk: 'The desk',
  },
  done: {
    words: 'Name and publisher are saved.',
    colours: 'The colours are saved.',
    about: 'The about page is saved.',
    readers: 'Saved.',
    frames: 'The sites that may embed our coverage are saved.',
    desk: 'Saved.',
  },
  more: { export: 'Export everything', surge: 'Set a surge' },

  name: 'Name',
  tagline: 'Tagline',
  taglineHelp: 'A few words under the name.',
  language: 'Language of the site',
  languageHelp: (names: string) =>
    `Its own words are written in ${names}; any other tag, as fr or pt-BR, leaves them in English.`,
  publisher: 'Publisher',
  publisherHelp: 'The person or company responsible for the site.',
  contact: 'Contact',
  contactHelp: 'How to reach the newsroom: address, telephone, e-mail. It stands on the about page.',

  accent: 'By day',
  accentDark: 'In the dark',
  colourHelp: (house: string) => `The colour of what is live, as ${house}. Empty: the house’s red.`,
  colourPicker: 'A darker colour by day and a lighter one in the dark can be read best.',
  noColour: 'Give a colour as # and six digits from 0 to 9 and a to f, as #0b5fa5. Empty: the house’s red.',
  tooFaint: (ratio: string, need: string) =>
    `This colour has a contrast of ${ratio} to the paper; text needs ${need}.`,
  take: (colour: string) => `Use ${colour}, the nearest that can be read`,
  sampleLive: 'Live',
  sampleLine: 'checked 14:02 · newest 13:58',
  sampleContrast: (ratio: string) => `contrast ${ratio}`,

  about: 'In your own words',
  aboutHelp: (most: string) =>
    `Who you are, for whom you write, what you stand for. It stands above the standards. **bold**, *italic*, [words](address), - list, > quote. At most ${most} characters.`,
  aboutNone: 'Nothing yet: the about page has the standards, the publisher and the contact.',

  follow: 'Readers learn of changes',
  followHelp: 'A coverage can be set otherwise, in its settings.',
  interval: 'Seconds between two checks',
  intervalHelp: (least: number, most: number) => `From ${least} to ${most}.`,
  intervalWrong: (least: number, most: number) => `Give a whole number from ${least} to ${most}.`,

  quiet: 'Hours of silence until the desk is reminded',
  quietHelp: (most: number) =>
    `Of a live coverage in which nothing is published. From 1 to ${most}; 0 is never.`,
};

/** Messages of the site's settings. */
export const site = {
  title: 'The site',
  notYours: 'Only the owner sets this.',
  copies: 'Keep copies on readers’ devices',
  copiesHelp:
    'Pages that somebody has read open again without a line, marked as saved and from when. Without this nothing is kept, and a device throws its copies away when it next opens a page.',
  save: 'Save',
  saved: 'Saved.',
};

/** Messages of the surge switch. */
export const surge = {
  title: 'How readers follow',
  help: 'In a surge, open pages check once a minute instead of following at once, so the server can serve many more of them. They switch within a minute, and back afterwards.',
  modes: {
    auto: 'Automatic: a surge while the server is busy',
    on: 'Surge now, until this is changed',
    off: 'Never a surge, however busy the server is',
  } satisfies Record<SurgeMode, string>,
  set: 'Set',
  change: 'Change this',
  now: {
    /** Before and after the start time. */
    on: ['Readers ask at most once a minute since', 'because the desk has set it so.'],
    auto: ['Readers ask at most once a minute since', 'because the server is busy.'],
    usual: 'Readers follow as usual.',
  },
  choose: 'Choose one of the three, then set it.',
};

/** Messages of the setup page. */
export const setup = {
  title: 'Set up this newsroom',
  what: 'This newsroom has no owner yet. The code creates the first owner, once.',
  code: 'Code',
  codeHelp: 'The server printed it when it started. It stands beside this address.',
  haveAccount: 'You have an account here already?',
  signInFirst: 'Sign in first',
  asYou: (name: string) => `You are signed in as ${name}. The code makes you the owner.`,
  submit: 'Become the owner',
  problems: {
    code: 'This code does not open the newsroom. Copy it from what the server printed last: each start makes a new one.',
    emailInUse:
      'This address has an account already. Sign in with it, come back here and give the code alone.',
    signInYourself: 'You are the owner now. Sign in with the address and the password that you gave.',
  },
};
