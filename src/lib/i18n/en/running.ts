import type { CoverageState } from '../../domain/desk-coverages.ts';

/** Messages of running a coverage at its desk. */
export const running = {
  settings: 'Settings',
  /** Effect of each state change on readers, by old and new state. */
  means: {
    scheduled: 'Readers find a waiting page with the start. It goes live by itself at that time.',
    live: 'Readers see it on the front page, and every update as it comes.',
    resumed: 'Readers see it as live again, and every update as it comes.',
    paused: 'Readers are told that it pauses. Updates can still be published.',
    ended: 'Readers are told that it has ended. Updates can still be published, and it can be reopened.',
    reopened: 'Readers see it as live again, at the head of the front page.',
    archived: 'It stays readable for good and takes no more updates. This cannot be taken back.',
    withdrawn: 'All of it is gone for readers, for good.',
  },
  stands: {
    draft: 'Only the desk sees it.',
    scheduled: 'Readers see a waiting page.',
    live: 'Readers see every update as it comes.',
    paused: 'Readers are told that it pauses.',
    ended: 'Readers are told that it has ended.',
    archived: 'Readers can read it. It takes no more updates.',
    withdrawn: 'Readers are told that it was withdrawn.',
  } satisfies Record<CoverageState, string>,
  what: 'What these do',
  archiveTitle: 'Archive this coverage',
  archiveConfirm: 'Archive it',

  pinned: 'Pinned',
  pinnedNumber: (number: number) => `number ${number}`,
  unpin: 'Unpin',
  unpinned: 'Unpinned.',

  silent: {
    title: 'Silent coverages',
    since: (time: string) => `Silent since ${time}.`,
    choose: 'End it, pause it, or go on.',
    end: 'End',
    pause: 'Pause',
    goOn: 'Go on',
    wentOn: 'Noted. You are reminded when it has been silent as long again.',
    about: (action: string, headline: string) => `${action}: ${headline}`,
  },

  versions: {
    title: 'Earlier versions',
    show: 'Show versions',
    none: 'There is no version yet.',
    older: 'Show older',
    version: (number: number) => `Version ${number}`,
    by: (name: string) => `by ${name}`,
    now: 'as it stands',
    empty: 'Taken away.',
    bringBack: 'Bring back',
    broughtBack: 'These words are in the box. Save them to show them to readers.',
  },
};
