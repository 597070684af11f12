import type { CoverageState } from '../../domain/desk.ts';

/** Messages of running a coverage at its desk. */
export const running = {
  settings: 'Settings',
  /** Effect of each state change on readers, by old and new state. */
  means: {
    scheduled: 'Readers see a page with the start time. The coverage goes live at that time.',
    live: 'Readers see it on the front page and get every update.',
    resumed: 'Readers see it as live again and get every update.',
    paused: 'Readers see that it is paused. Updates can still be published.',
    ended: 'Readers see that it has ended. Updates can still be published, and it can be reopened.',
    reopened: 'Readers see it as live again, at the top of the front page.',
    archived: 'It stays readable and accepts no more updates. This cannot be undone.',
    withdrawn: 'Readers can no longer read any part of this coverage. This cannot be undone.',
  },
  stands: {
    draft: 'Only the desk sees it.',
    scheduled: 'Readers see a waiting page.',
    live: 'Readers get every update.',
    paused: 'Readers see that it is paused.',
    ended: 'Readers see that it has ended.',
    archived: 'Readers can read it. It accepts no more updates.',
    withdrawn: 'Readers see that it was withdrawn.',
  } satisfies Record<CoverageState, string>,
  /** Name of the menu of actions that change the state. */
  menu: (state: string) => `State of the coverage: ${state}`,
  /** Questions before a change of state. */
  confirm: {
    ended: { title: 'End this coverage?', confirm: 'End coverage' },
    archived: { title: 'Archive this coverage?', confirm: 'Archive coverage' },
    withdrawn: { title: 'Withdraw this coverage?', confirm: 'Withdraw coverage' },
  },

  pinned: 'Pinned:',
  pinnedNumber: (number: number) => `(update\u00a0${number})`,
  unpin: 'Unpin',
  unpinned: 'Unpinned.',

  silent: {
    title: 'Coverages without new updates',
    since: (time: string) => `No updates since ${time}.`,
    choose: 'End it, pause it, or keep it live.',
    end: 'End',
    pause: 'Pause',
    goOn: 'Keep live',
    wentOn: 'It stays live. You get another reminder after the same time.',
    about: (action: string, headline: string) => `${action}: ${headline}`,
  },

  versions: {
    title: 'Earlier versions',
    show: 'Show versions',
    none: 'No versions yet.',
    older: 'Show older',
    version: (number: number) => `Version ${number}`,
    by: (name: string) => `by ${name}`,
    now: 'current',
    empty: 'Removed.',
    bringBack: 'Restore',
    broughtBack: 'The version is in the editor. Save it to show it to readers.',
  },
};
