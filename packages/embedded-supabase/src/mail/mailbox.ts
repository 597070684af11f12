import type { MailTransport } from './mailer.ts';
import type { MailMessage } from './message.ts';

export type StoredMail = MailMessage & {
  /** Counts from 1. */
  id: number;
  at: Date;
};

/** Keeps mails in memory instead of sending them, for a demo and for development. */
export type Mailbox = MailTransport & {
  /** Newest first. */
  all(): StoredMail[];
  find(id: number): StoredMail | undefined;
};

/** Kept at most; the oldest go. */
const MOST = 200;

export function openMailbox(): Mailbox {
  const mails: StoredMail[] = [];
  let last = 0;
  return {
    async send(letter) {
      last += 1;
      mails.unshift({ ...letter, id: last, at: new Date() });
      mails.length = Math.min(mails.length, MOST);
    },
    all: () => [...mails],
    find: (id) => mails.find((mail) => mail.id === id),
    close() {},
  };
}
