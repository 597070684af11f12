/** Messages on a device while the site cannot be reached. */
export const offline = {
  /** Before a time. */
  savedCopy: 'Saved copy: what this page said at',

  /** On the tip form, above its fields. */
  nothingSent: 'Nothing can be sent from here just now.',

  page: {
    title: 'The site cannot be reached',
    say: 'This device has no line just now, or the site does not answer, and this page is not saved here.',
    saved: 'Saved on this device',
    none: 'Nothing is saved on this device yet. What you follow here will be.',
    again: 'Try again',
    forget: 'Forget these copies',
    forgotten: 'Nothing is saved on this device any more.',
  },
};
