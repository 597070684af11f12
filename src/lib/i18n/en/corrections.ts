import type { TablePreset } from '../../domain/body/table-presets.ts';
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
    /** Before the times of a post. */
    posted: 'Posted',
    quoted: 'Quoted',
    gone: 'No longer there when checked',
    presets: {
      results: 'Results',
      score: 'Score',
      closures: 'Closures',
      shelters: 'Shelters',
    } satisfies Record<TablePreset, string>,
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
    same: 'The text did not change.',
    redacted: 'The text of this version was removed',
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
    read: 'from the CSV address of a table',
    seen: 'Readers have seen it.',
    unseen: 'Readers have never seen it.',
    older: 'Show older versions',
    use: 'Restore this version',
    redact: 'Redact',
    redactSure:
      'This removes the text of this version permanently, for readers and for the desk. It cannot be undone. Earlier backups still contain it.',
    redactReason: 'Reason for the removal',
    redactSeen: 'Readers see the reason and the date in the edit history.',
    redactUnseen: 'Only the desk sees this.',
    redactConfirm: (version: number) => `Remove the text of version ${version}`,
    redacted: (version: number) => `The text of version ${version} was removed.`,
    redactNote: 'Also remove its note. Readers see the reason instead',
    redactNoteSure:
      'This removes the note permanently. Readers see the reason instead, also on the page of corrections.',
    redactNoteConfirm: (version: number) => `Remove the note of version ${version}`,
    noteRedacted: (version: number) => `The note of version ${version} was removed.`,
    redactedToo: (versions: number[]) =>
      `The same text was also removed from ${plural(versions.length, 'version', 'versions', 'en')} ${formatList(versions.map(String), 'en')}.`,
    redactedLeft: (versions: number[]) =>
      `The same text is still in ${plural(versions.length, 'version', 'versions', 'en')} ${formatList(versions.map(String), 'en')}.`,
  },

  /** Effect of a change on public pages, by kind of change. */
  change: {
    revision:
      'Readers see the new text at once, with the time of the change. The edit history shows the earlier text.',
    clarification:
      'Readers see the new text at once, with the note below it. The note is listed on the page of corrections. The edit history shows the earlier text.',
    correction:
      'Readers see the new text at once, with the note below it. The note is listed on the page of corrections. The edit history shows the earlier text.',
  },

  /** Effects of a withdrawal. */
  withdrawal: {
    words: 'Readers can no longer read its text or any earlier version. This cannot be undone.',
    photos: (count: number) =>
      plural(
        count,
        'Readers no longer see its photo, unless another update shows it.',
        `Readers no longer see its ${formatNumber(count, 'en')} photos, unless another update shows them.`,
        'en',
      ),
    keyEvent: 'It is no longer a key event.',
    pinned: 'It is no longer pinned.',
    stays:
      'Readers still see its number, its times and the reason, also on the page of corrections. The desk keeps the text in the history.',
  },

  /** The page of corrections. */
  page: {
    title: 'Corrections',
    what: (name: string) =>
      `Corrections, clarifications and withdrawals by ${name}, newest first. Minor edits are listed on the page of each update.`,
    none: 'No corrections yet.',
    noMore: 'There are no older corrections.',
    withdrawnUpdate: (number: number) => `Update ${number}`,
    coverage: 'A whole coverage was withdrawn.',
    older: 'Older',
    newest: 'Newest',
    description: (name: string) => `Corrections, clarifications and withdrawals by ${name}.`,
  },
};
