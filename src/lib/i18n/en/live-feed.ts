import type { PublicState } from '../../domain/reader-coverage.ts';

/** Messages of the live feed on an open page. Times are formatted by the caller. */
export const feed = {
  updated: (time: string) => `Updated ${time}`,
  /** For a coverage that the newsroom has paused. */
  pausedNote: 'more to come',
  /** For checks once a minute. */
  every: (seconds: number) =>
    seconds === 60
      ? 'checks once a minute'
      : seconds % 60 === 0
        ? `checks every ${seconds / 60} minutes`
        : `checks every ${seconds} seconds`,
  behind: 'Out of date',
  offline: 'Offline',
  savedCopy: 'saved copy',
  pausedByYou: 'Paused by you',
  since: (time: string) => `since ${time}`,
  tryingAgain: 'trying again',
  pause: 'Pause updates',
  resume: 'Resume updates',
  held: (count: number) => (count === 1 ? '1 new update' : `${count} new updates`),
  urgent: (words: string) => `Urgent: ${words}`,
  /** Why the page should be reloaded, as the text of a link that reloads it. */
  reload: {
    newer: 'New version. Reload',
    begun: 'Coverage has started. Reload',
    lost: 'Live updates stopped. Reload',
  },
  gone: 'This coverage was withdrawn. It is no longer available.',
};

/** States of a coverage on public pages. A separate part, because the live feed loads only these. */
export const states: Record<PublicState, string> = {
  scheduled: 'Scheduled',
  live: 'Live',
  paused: 'Paused',
  ended: 'Ended',
  archived: 'Archived',
};

/** Messages on a device while the site cannot be reached. */
export const offline = {
  /** Before a time. */
  savedCopy: 'Saved copy. Page as of',

  /** On the tip form, above its fields. */
  nothingSent: 'You are offline. Tips cannot be sent from this saved copy.',

  page: {
    title: 'The site cannot be reached',
    say: 'You are offline, or the site does not respond. This page is not saved on this device.',
    saved: 'Saved on this device',
    none: 'No saved pages yet. Live pages that you open are saved here.',
    again: 'Try again',
    forget: 'Remove from this device',
    forgotten: 'All saved pages were removed from this device.',
  },
};
