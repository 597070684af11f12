/** Messages of the offline page of the desk. */
export const deskOffline = {
  title: 'The desk cannot be reached',
  /** For devices without stored coverages. */
  say: 'This device has no line just now, or the site does not answer. As soon as it does, this page opens by itself.',
  again: 'Try again now',
  known: 'You can write here without a line',
  /** For desks where the person may write. */
  noLine: 'No line. Write on: all of it is kept on this device and sent by itself.',
  lineBack: 'The line is back. What waits is being sent.',
  notYours: 'This desk is not open to you any more. Your words stay on this device.',
  whole: 'Open the whole desk',
};
