import { formatList, formatNumber, plural } from '../plural.ts';

/** Messages of versions, differences and the page of corrections. */
export const corrections = {
  difference: {
    /** Read by screen readers before added and removed text. */
    added: 'Added:',
    removed: 'Removed:',
    /** Read by screen readers after it. */
    end: '.',
    unchanged: 'unchanged',
    photo: 'Photo',
  },
  yes: 'yes',
  no: 'no',
  fields: {
    attribution: 'Source',
    dateline: 'Dateline',
    bylines: 'By',
    occurred_at: 'Happened',
    key_event: 'Key event',
    urgency: 'Urgency',
    verification: 'Verification',
    desk_note: 'Desk note',
  },
  urgencies: { normal: 'normal', important: 'important', urgent: 'urgent' },
  verifications: { confirmed: 'confirmed', developing: 'developing', unverified: 'not verified' },

  /** History of an update on its public page. */
  history: {
    title: 'Edit history',
    kinds: {
      publication: 'Published',
      revision: 'Revised',
      clarification: 'Clarification',
      correction: 'Correction',
      withdrawal: 'Withdrawn',
    },
    revisions: (count: number) =>
      `Revised ${formatNumber(count, 'en')} ${plural(count, 'time', 'times', 'en')}`,
    same: 'The words stayed as they were.',
    redacted: 'The words of this version were removed',
    incomparable: 'Changes are not shown, because the earlier version was removed.',
    newest: 'Only the newest versions are shown.',
  },

  /** Versions at the desk. */
  desk: {
    history: 'History',
    title: 'Versions',
    version: (version: number) => `Version ${version}`,
    saved: 'Saved',
    by: (name: string) => `by ${name}`,
    seen: 'Readers have seen it.',
    unseen: 'Readers have never seen it.',
    older: 'Show older versions',
    use: 'Use these words again',
    redact: 'Redact',
    redactSure:
      'The words of this version are removed for good: nobody can read them any more, at the desk neither, and nobody can bring them back. Backups that were made before still hold them.',
    redactReason: 'Why they are removed',
    redactSeen: 'Readers see this, and when it was done, in the history of the update.',
    redactUnseen: 'The desk sees this.',
    redactConfirm: (version: number) => `Remove the words of version ${version}`,
    redacted: (version: number) => `The words of version ${version} are gone.`,
    redactNote: 'Remove its note too: for readers the reason stands in its place',
    redactNoteSure:
      'The note is removed for good. For readers the reason stands in its place, also on the page of corrections.',
    redactNoteConfirm: (version: number) => `Remove the note of version ${version}`,
    noteRedacted: (version: number) => `The note of version ${version} is gone.`,
    redactedToo: (versions: number[]) =>
      `With it went the same words in ${plural(versions.length, 'version', 'versions', 'en')} ${formatList(versions.map(String), 'en')}.`,
    redactedLeft: (versions: number[]) =>
      `The same words still stand in ${plural(versions.length, 'version', 'versions', 'en')} ${formatList(versions.map(String), 'en')}.`,
  },

  /** Effect of a change on public pages, by kind of change. */
  change: {
    revision:
      'Readers see the new words at once, and the time of the change. The words before stay in the history on the update’s own page.',
    clarification:
      'Readers see the new words at once, in open pages too, with the note below them. It is on the page of corrections, and the words before stay in the history on the update’s own page.',
    correction:
      'Readers see the new words at once, in open pages too, with the note below them. It is on the page of corrections, and the words before stay in the history on the update’s own page.',
  },

  /** Effects of a withdrawal. */
  withdrawal: {
    words: 'Readers can read its words nowhere any more, earlier versions neither. This cannot be undone.',
    photos: (count: number) =>
      plural(
        count,
        'Its photo is gone for readers, unless another update shows it.',
        `Its ${formatNumber(count, 'en')} photos are gone for readers, unless another update shows them.`,
        'en',
      ),
    keyEvent: 'It is no key event any more.',
    pinned: 'It is no longer held at the top of the page.',
    stays:
      'Its number, its times and the reason stay in its place and on the page of corrections. The desk keeps the words in its history.',
  },

  /** The page of corrections. */
  page: {
    title: 'Corrections',
    what: (name: string) =>
      `Corrections, clarifications and withdrawals of ${name}, newest first. Minor edits are listed on the page of each update.`,
    none: 'No corrections yet.',
    noMore: 'There are no older corrections.',
    withdrawnUpdate: (number: number) => `Update ${number}`,
    coverage: 'A whole coverage was withdrawn.',
    older: 'Older',
    newest: 'Newest',
    description: (name: string) => `Corrections, clarifications and withdrawals by ${name}.`,
  },
};
