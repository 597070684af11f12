/** Why a tip is not taken, for whoever sends it. */
export const words = {
  noText: 'Write something first.',
  photoType: 'This kind of file cannot be used. Choose a JPEG, PNG, WebP or AVIF picture.',
  photoSize: 'This photo is too large. Choose one of at most 20 MB.',
  photoLater:
    'The photo cannot be taken just now. Send it again in a moment: your tip is kept and comes once.',
  noPlace: 'This photo is not waited for any more.',
  tooMany: 'Very many tips come from where you are. Try again in an hour.',
};
