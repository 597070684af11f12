/** Messages of the composer's link field. */
export const deskLinks = {
  title: 'Link',
  address: 'Address of a page',
  addressHelp: 'It stands in the text on a line of its own, with what the page says of itself.',
  add: 'Add link',
  addPlain: 'Add it without a description',
  looking: 'Looking at the page…',
  added: 'Added to the text, like this:',
  addedPlain: 'Added to the text without a description.',
  takeOut: 'Take it out again',
  removed: 'Taken out of the text.',
  notAnAddress: 'This is no address of a web page.',
  offline: 'The page could not be looked at: there is no line, or it does not answer.',
};
