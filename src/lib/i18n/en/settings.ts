/** Messages of a coverage's settings. */
export const settings = {
  title: 'Settings',
  of: (headline: string) => `Settings of ${headline}`,
  desk: 'Back to its desk',
  forbidden: 'Only editors change the settings of a coverage.',
  signedOut: 'Your session has ended. What you typed is kept in this form: sign in, then send it again.',
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
    following: 'How readers follow is saved. Open pages take it up by themselves.',
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
    none: 'Nobody has a place here.',
    until: (time: string) => `until ${time}`,
    expired: (time: string) => `expired ${time}`,
    addedBy: (name: string) => `added by ${name}`,
    noContributor: (role: string) => `is ${role} now, and sees this coverage by that`,
    search: 'Name or handle of a contributor',
    find: 'Find',
    searchResults: 'Found',
    notFound: 'No contributor has that name or handle. An owner can invite somebody.',
    invite: 'Invite somebody',
    day: 'Last day',
    dayWrong: 'Give a day to come, or leave it empty.',
    add: 'Add',
    extend: 'Set last day',
    remove: 'Remove',
    about: (action: string, name: string) => `${action}: ${name}`,
  },
};
