import type { CoverageState } from '../../domain/desk.ts';
import type { Role, UpdateActionName } from '../../domain/permissions.ts';
import type { ReaderFollow } from '../../domain/reader-coverage.ts';
import type { UpdateFilter, UpdateState, Urgency } from '../../domain/updates.ts';
import { formatList, formatNumber, plural } from '../plural.ts';

/** Messages of the desk. */
export const desk = {
  name: 'Desk',
  skip: 'Skip to content',
  notLoaded: 'This page did not load completely. Reload',
  timesIn: (zone: string) => `All times in ${zone}`,
  forbidden: {
    title: 'No access to this desk',
    noDesk: 'Your account can only read. To write, ask the owner of this newsroom for a role.',
    notThis: 'You have no access to this coverage. Ask an editor to add you to it.',
    notMake: 'Only editors can create coverages.',
    home: 'Front page',
  },
  you: (name: string, role: string) => `${name}, ${role}`,
  roles: {
    reader: 'reader',
    contributor: 'contributor',
    reporter: 'reporter',
    moderator: 'moderator',
    editor: 'editor',
    owner: 'owner',
  } satisfies Record<Role, string>,

  overview: {
    title: 'All coverages',
    make: 'New coverage',
    none: 'No coverages yet. Create the first.',
    /** For people who may not create one. */
    noneMade: 'No coverages yet. Editors create them.',
    noneOpen: 'You have not been added to a coverage. Ask an editor to add you.',
    updates: (count: number) => `${formatNumber(count, 'en')} ${plural(count, 'update', 'updates', 'en')}`,
    newest: 'updated',
    empty: 'no updates yet',
    newer: 'Back',
    older: 'More',
    groups: { running: 'Live', preparing: 'In preparation', over: 'Ended' },
  },

  states: {
    draft: 'Draft',
    scheduled: 'Scheduled',
    live: 'Live',
    paused: 'Paused',
    ended: 'Ended',
    archived: 'Archived',
    withdrawn: 'Withdrawn',
  } satisfies Record<CoverageState, string>,

  updateStates: {
    draft: 'Draft',
    submitted: 'Submitted',
    scheduled: 'Scheduled',
    published: 'Published',
    withdrawn: 'Withdrawn',
    spiked: 'Spiked',
  } satisfies Record<UpdateState, string>,

  urgencies: { normal: 'Normal', important: 'Important', urgent: 'Urgent' } satisfies Record<Urgency, string>,

  saving: {
    publish: 'Publish',
    save: 'Save draft',
    submit: 'Submit',
    schedule: 'Schedule',
    change: 'Save change',
  },

  schedule: {
    later: 'Publish later',
    otherTime: 'Another time',
    at: (zone: string) => `Publish at (${zone})`,
    help: 'It is published at this time if you still have permission to publish. Until then, editors can change or unschedule it.',
    save: 'Save, keep the time',
    publishNow: 'Publish now',
    stands: (time: string, day: string, zone: string) => `Scheduled for ${time}, ${day} (${zone})`,
    noTime: 'Enter a date and a time.',
    past: 'Enter a time in the future, or press Publish.',
    tooFar: (days: number) => `Enter a time within ${days} days.`,
    /** Why a scheduled update was not published, by error code, and what to do. */
    refused: (code: string) => `Not published as scheduled: ${notOut[code] ?? notOut.internal}`,
  },

  change: {
    kind: 'What kind of change is it?',
    revision: 'Minor edit: no note',
    clarification: 'Clarification: readers see the note',
    correction: 'Correction: readers see the note',
    note: 'Note to readers',
    noteHelp: 'Say what was wrong or unclear, and what is right.',
  },

  status: {
    sending: 'Sending',
    sent: {
      published: (number: number) => `Published as update ${number}`,
      draft: 'Saved as a draft. It is in the list.',
      submitted: 'Submitted to the editors.',
      scheduled: 'Scheduled. It will be published automatically.',
      changed: 'Saved. Readers see it now.',
    },
    signedOut: 'Your session has ended. Your text is kept here.',
    signIn: 'Sign in',
    signInThen: 'in a new tab, then come back. Your text is then sent.',
    newTab: '(opens a new tab)',
    notKept: 'This browser cannot save your text. Keep this page open until it is sent.',
    already: (number: number) =>
      `An earlier version is already published as update ${number}. Save this text as a change, or discard it.`,
  },

  frontPage: {
    title: 'Front page',
    help: 'Choose the lead and the coverages after it. The others follow: live ones first, then the newest.',
    unarranged: 'Usual order',
    position: (n: number) => (n === 1 ? 'Lead' : `Position ${n}`),
    repeated: (n: number) =>
      `Another coverage is ${n === 1 ? 'the lead' : `at position ${n}`}. Choose a different position.`,
    save: 'Save order',
    saved: 'Order saved.',
    view: 'View front page',
    none: 'Readers cannot see any coverage yet.',
  },

  conflict: {
    title: 'Two versions',
    savedBy: (name: string) => `Not saved. ${name} changed this first. Compare the two, then save again.`,
    savedByYou: 'Not saved. You changed this first on another page. Compare the two, then save again.',
    theirs: (version: number) => `Theirs: saved as version ${version}`,
    mine: 'Mine: not saved yet',
    keepMine: 'Keep mine',
    takeTheirs: 'Use theirs',
    both: 'Merge by hand',
    bringBack: 'Restore the other text',
    merged: 'Another person saved changes that do not touch yours. Your text has the changes of both.',
  },

  list: {
    title: 'Updates',
    none: 'No updates yet. Write the first.',
    noneForFilter: 'No updates in this list.',
    older: 'Show older',
    pinned: 'Pinned',
    keyEvent: 'Key event',
    corrected: 'Corrected',
    revised: 'Revised',
    deskNote: 'Desk note',
    reason: 'Reason',
    number: (number: number) => `update ${number}`,
    by: (names: string) => `by ${names}`,
    noWords: 'No text yet.',
  },

  actions: {
    edit: 'Edit',
    submit: 'Submit',
    publish: 'Publish',
    spike: 'Spike',
    unschedule: 'Unschedule',
    pin: 'Pin',
    unpin: 'Unpin',
    withdraw: 'Withdraw',
  } satisfies Record<UpdateActionName, string>,
  done: {
    submit: 'Submitted to the editors.',
    publish: 'Published.',
    unschedule: 'Unscheduled. It is a draft again.',
    pin: 'Pinned.',
    unpin: 'Unpinned.',
  },
  wordpress: {
    make: 'Make a WordPress draft',
    open: 'Open the WordPress draft',
    /** @param missingPhotos how many photos are only links in the draft */
    made: (missingPhotos: number) =>
      missingPhotos === 0
        ? 'The draft is in WordPress.'
        : missingPhotos === 1
          ? 'The draft is in WordPress. One photo could not be uploaded and is a link there. Add it in WordPress, and check that its user has the role author or editor.'
          : `The draft is in WordPress. ${missingPhotos} photos could not be uploaded and are links there. Add them in WordPress, and check that its user has the role author or editor.`,
    exists: 'This draft was made before.',
  },
  about: (action: string, what: string) => `${action}: ${what}`,
  close: 'Close',
  cancel: 'Cancel',

  withdraw: {
    reason: 'Why it is withdrawn',
    reasonHelp: 'Readers see this in its place.',
    confirm: 'Withdraw',
    done: 'Withdrawn. Readers see the reason now.',
  },

  spike: {
    sure: 'A spiked update leaves the list and is never published.',
    confirm: 'Spike',
    done: 'Spiked.',
  },

  connection: {
    current: (time: string) => `Checked ${time}`,
    behind: (time: string) => `No connection since ${time}. Trying again.`,
    signedOut: 'Your session has ended.',
    notYours: 'You no longer have access to this desk. Your text is kept here.',
    noScript: 'Writing at this desk needs JavaScript. Without it you can read the list.',
  },

  presence: {
    here: (names: string) => `Here: ${names}`,
    writing: (name: string) => `${name} (writing)`,
    alone: 'You are the only one here.',
    more: (count: number) => `${count} more`,
    unknown: 'The list of people here is not available right now.',
    editing: (names: string[]) =>
      `${formatList(names, 'en')} ${plural(names.length, 'is', 'are', 'en')} editing this`,
    arrived: (names: string[]) =>
      `${formatList(names, 'en')} ${plural(names.length, 'has', 'have', 'en')} opened this desk.`,
  },

  coverage: {
    title: 'Coverage',
    moves: {
      draft: { scheduled: 'Schedule coverage', live: 'Go live' },
      scheduled: { live: 'Go live', withdrawn: 'Withdraw coverage' },
      live: { paused: 'Pause', ended: 'End', withdrawn: 'Withdraw coverage' },
      paused: { live: 'Resume', ended: 'End', withdrawn: 'Withdraw coverage' },
      ended: { live: 'Reopen', archived: 'Archive', withdrawn: 'Withdraw coverage' },
      archived: { withdrawn: 'Withdraw coverage' },
      withdrawn: {},
    } satisfies Record<CoverageState, Partial<Record<CoverageState, string>>>,
    summary: 'Summary',
    summaryHelp: 'Three lines about what is known so far, shown at the top of the page.',
    saveSummary: 'Save summary',
    editSummary: 'Edit summary',
    noSummary: 'No summary yet.',
    summaryStale: (time: string) => `The summary is older than the urgent update of ${time}. Check it.`,
    summarySaved: 'The summary is saved.',
    readersPage: 'View page',
    withdrawLabel: (slug: string) => `Type ${slug} to confirm`,
    withdrawMismatch: (slug: string) => `This is not the slug. Type ${slug}.`,
  },

  following: {
    title: 'How readers get updates',
    follow: 'Updates arrive',
    followHelp:
      'Automatic: instantly, or by checks when there are many readers. Open pages switch automatically.',
    asSite: 'As set for the site',
    ways: {
      auto: 'Automatic',
      sockets: 'Instantly',
      checks: 'By checks at an interval',
    } satisfies Record<ReaderFollow, string>,
    /** The saved version, shown for comparison with the text being edited. */
    stands: (follow: string, interval: number | null) =>
      `Now: ${follow}. Between two checks: ${interval === null ? 'as set for the site' : `${interval} seconds`}.`,
    interval: 'Seconds between two checks',
    intervalHelp: (least: number, most: number) =>
      `From ${least} to ${most}. Leave empty to use the setting of the site.`,
    intervalWrong: (least: number, most: number) =>
      `Enter a whole number from ${least} to ${most}, or leave it empty.`,
    save: 'Save',
    saved: 'Saved.',
  },

  make: {
    title: 'New coverage',
    signedOut: 'Your session has ended. Your text is still in this form: sign in, then send it again.',
    headline: 'Headline',
    slug: 'Slug',
    slugHelp:
      'The last part of the address, after /live/. Use a-z, 0-9 and hyphens. Leave empty to make it from the headline.',
    kicker: 'Kicker',
    kickerHelp: 'One or two words above the headline.',
    standfirst: 'Standfirst',
    standfirstHelp: 'The subject in one or two sentences.',
    time_zone: 'Time zone',
    timeZoneHelp: 'Readers see the times of this coverage in this zone.',
    language: 'Language',
    languageHelp: 'The language that its updates are written in.',
    starts_at: 'Starts',
    startsHelp: 'Optional. Needed only to schedule the coverage.',
    startsWrong: 'Enter a date and a time, or leave it empty.',
    submit: 'Create coverage',
    draftFirst: 'It starts as a draft that only the desk can see.',
  },

  problems: {
    empty: 'Write something first.',
    tooLong: (length: number, most: number) => `${length} characters. Shorten it to ${most}.`,
    blocks: (count: number, most: number) => `${count} paragraphs. Use at most ${most}.`,
    table: (rows: number, columns: number) => `A table has at most ${rows} rows and ${columns} columns.`,
    map: (most: number) =>
      `A map has a name of at most ${most} characters, a latitude up to 90 and a longitude up to 180.`,
    post: (most: number) => `In a post, author, handle and network have at most ${most} characters each.`,
    note: (most: number) => `Tell readers what changed, in 1 to ${most} characters.`,
  },
};

const notOut: Record<string, string> = {
  forbidden: 'the person who scheduled it may no longer publish. Publish it, or choose another time.',
  bad_state:
    'the coverage does not accept updates now. Change its state, then publish it or choose another time.',
  invalid: 'something in it is not valid. Edit it, then publish it or choose another time.',
  internal: 'something went wrong on our side. Publish it, or choose another time.',
};

const number = new Intl.NumberFormat('en');

/** Messages of the desk's list of updates: filters, search and waiting work. */
export const deskList = {
  filters: {
    work: 'All',
    submitted: 'Submitted',
    draft: 'Drafts',
    scheduled: 'Scheduled',
    published: 'Published',
    withdrawn: 'Withdrawn',
    spiked: 'Spiked',
    mine: 'Mine',
    key: 'Key events',
    corrected: 'Corrected',
    photos: 'With photos',
  } satisfies Record<UpdateFilter, string>,
  filter: 'Show',
  /** Most states are counted up to 100. */
  count: (count: number, isWhole: boolean) => `${number.format(count)}${isWhole ? '' : '+'}`,

  search: 'Find',
  searchHelp: 'Searches texts, names, notes and places of all updates.',
  resultCount: (count: number, isWhole: boolean) =>
    count === 0
      ? 'No results.'
      : `${number.format(count)}${isWhole ? '' : ' or more'} ${plural(count, 'result', 'results', 'en')}.`,
  clearSearch: 'Show all again',
  filed: {
    by: (channel: string) => `By ${channel}`,
    original: 'Original message',
    gone: 'The message is no longer stored.',
    changes: 'Changes since then',
  },
  attribution: 'Source',
  dateline: 'Dateline',

  waiting: (count: number) =>
    count === 1 ? 'Show 1 new update' : `Show ${number.format(count)} new updates`,
  somebodyEdits: (names: string, count: number) =>
    `${names} ${count === 1 ? 'is' : 'are'} editing this too. If they save first, you can compare both versions here.`,
  newerSaved: 'Another person saved a newer version while you were writing.',
  newerSavedBy: (name: string) => `${name} saved a newer version while you were writing.`,
  newerSavedByYou: 'You saved a newer version on another page.',
  compare: 'Compare',

  keys: {
    next: 'Next update in the list',
    previous: 'Previous update in the list',
    edit: 'Edit the update',
    publish: 'Publish the update',
    submit: 'Submit the update',
    spike: 'Spike the update',
    pin: 'Pin or unpin the update',
    withdraw: 'Withdraw the update',
    find: 'Find in the list',
    news: 'Show new updates',
  },

  /** Tips about the coverage, shown at its desk. */
  tips: {
    title: 'Tips',
    open: (count: number) => (count === 0 ? 'none open' : `${number.format(count)} open`),
    all: 'Open the tip queue',
  },

  /** Waiting work, shown on every page of the desk. */
  waits: {
    label: 'Waiting',
    submitted: (count: number) => (count === 1 ? '1 submission' : `${number.format(count)} submissions`),
    tips: (count: number) => (count === 1 ? '1 new tip' : `${number.format(count)} new tips`),
    in: (what: string, where: string) => `${what} in ${where}`,
    begun: 'New work is waiting at the desk.',
  },
};

/** Messages of the offline page of the desk. */
export const deskOffline = {
  title: 'The desk cannot be reached',
  /** For devices without stored coverages. */
  say: 'This device is offline, or the site does not respond. The desk opens when the connection is back.',
  again: 'Try again now',
  known: 'Coverages that you can write in offline',
  /** For desks where the person may write. */
  noLine: 'You are offline. Keep writing: everything is saved on this device and sent when you are online.',
  lineBack: 'You are online again. Sending the outbox.',
  notYours: 'You no longer have access to this desk. Your text stays on this device.',
  whole: 'Open the full desk',
};

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
