import type { CommandKind } from '../../domain/updates.ts';

/** Messages of the outbox. */
export const outbox = {
  title: 'On its way',
  /** Name of a command whose update has no text. */
  kinds: {
    auto: 'Draft',
    save: 'Draft',
    submit: 'Submission',
    schedule: 'Scheduled update',
    publish: 'Update',
    change: 'Change',
    withdraw: 'Withdrawal',
    spike: 'Spiked',
    unschedule: 'Taken off the schedule',
    pin: 'Pin',
    summary: 'Summary',
  } satisfies Record<CommandKind, string>,
  steps: {
    on_device: 'On this device',
    sending: 'Sending',
    with_desk: 'With the desk',
    live: 'Live',
    needs_you: 'Needs you',
  },
  number: (number: number) => `number ${number}`,
  /** Sending status. */
  kept: 'Kept on this device. It is sent by itself.',
  /** Pause reasons. */
  holdUps: {
    line: 'Kept on this device. It is sent when the newsroom is reached again.',
    session: 'Your session has ended. Kept on this device: sign in, then it is sent.',
  },
  keptHere: 'Kept here. It is sent when this page is open and the newsroom is reached.',
  needsYou: 'It was not taken: see what is on its way.',
  withdrawn: 'Withdrawn.',
  someoneElse: 'Somebody else is signed in here now. Your text is kept; sign in as yourself to send it.',
  undo: 'Undo',
  takeBack: 'Take back',
  open: 'Open',
  again: 'Send again',
  throwAway: 'Throw away',
  sure: 'Throw these words away?',
  keep: 'Keep them',
  /** Public reason of an undo, in the language of the coverage. */
  undoReason: 'Published by mistake and taken back at once.',
  tookBack: 'Taken back. The words are in their box again.',
  signOut: {
    title: 'Not everything is sent',
    waits: 'Some of your work is on this device and not with the desk yet.',
    send: 'Send first, then sign out',
    sending: 'Sending. Then you are signed out.',
    notSent: 'It cannot be sent now. It is kept here.',
    needsYou:
      'The rest waits for you at the desk: words you have not pressed, or a press that was refused. It is kept here.',
    keep: 'Sign out and keep it here for when I am back',
    throwAway: 'Throw it away and sign out',
    stay: 'Stay signed in',
  },
};
