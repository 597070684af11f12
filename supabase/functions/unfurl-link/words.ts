/** Why an address is not described: for the person who gave it. Nothing of where it led is named. */
export const words = {
  notAnAddress: 'This is not the address of a web page.',
  notOpen: 'This address is not on the open web. Give one that anybody can open.',
  tooManyRedirects: 'This address leads on and on. Give the one where it ends.',
  noPage: 'There is no page at this address. Check it.',
  notHtml: 'There is no web page at this address, but something else.',
  noEnd: 'This page is too large to be looked at.',
  unreachable: 'This page does not answer just now. Try again in a moment.',
  noDesk: 'Your account reads; it does not write.',
  tooMany: 'Too many links at once. Wait a moment, then try again.',
};
