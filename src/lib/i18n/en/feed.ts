/** The words of an open live page: what the feed says of itself. Times come formatted. */
export const feed = {
  checked: (time: string) => `checked ${time}`,
  /** Of a coverage that the newsroom has paused. */
  pausedNote: 'more to come',
  newest: (time: string) => `newest ${time}`,
  /** Of checks that are rare. */
  every: (seconds: number) =>
    seconds === 60
      ? 'checks once a minute'
      : seconds % 60 === 0
        ? `checks every ${seconds / 60} minutes`
        : `checks every ${seconds} seconds`,
  behind: 'Behind',
  offline: 'Offline',
  savedCopy: 'saved copy',
  pausedByYou: 'Paused by you',
  since: (time: string) => `since ${time}`,
  tryingAgain: 'trying again',
  pause: 'Pause',
  resume: 'Resume',
  held: (count: number) => (count === 1 ? '1 new update' : `${count} new updates`),
  /** Why the page should be loaded again, as a link that does it. */
  reload: {
    newer: 'Load the newer edition',
    begun: 'It has begun: load the page',
    lost: 'Much has happened: load the page again',
  },
  gone: 'This coverage was withdrawn. It is no longer to be read here.',
};
