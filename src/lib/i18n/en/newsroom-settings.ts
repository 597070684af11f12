/** Messages of the newsroom's settings. */
export const newsroomSettings = {
  preview: 'Preview',
  signedOut: 'Your session has ended. What you typed is kept in this form: sign in, then send it again.',
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
    frames: 'Who may show our coverage in a frame is saved. It holds at once.',
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
  publisherHelp: 'Who answers for it, as it must be named.',
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
