/** Messages of the live feed on an open page. Times are formatted by the caller. */
export const feed = {
  checked: (time: string) => `checked ${time}`,
  /** For a coverage that the newsroom has paused. */
  pausedNote: 'more to come',
  newest: (time: string) => `newest ${time}`,
  /** For checks once a minute. */
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
  /** Why the page should be reloaded, as the text of a link that reloads it. */
  reload: {
    newer: 'Load the newer edition',
    begun: 'It has begun: load the page',
    lost: 'Much has happened: load the page again',
  },
  gone: 'This coverage was withdrawn. It is no longer to be read here.',
};
