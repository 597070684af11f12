import { createHash, randomBytes } from 'node:crypto';
import {
  connectTelegram,
  disconnectTelegram,
  setFilingTrust,
  testTelegram,
  unlinkFilingSender,
} from '../data/filing.ts';
import { fieldText, type RejectedForm, rejectForm } from '../data/forms.ts';
import type { BackendClient } from '../data/result.ts';
import type { IdentityFields } from '../data/site-identity.ts';
import {
  removeWordPress,
  saveWordPress,
  testWordPress,
  type WordPressForm,
  type WordPressUser,
} from '../data/wordpress.ts';
import {
  acceptTransfer,
  closeTransfer,
  offerTransfer,
  readTransfer,
  type TransferContent,
  type TransferResult,
} from '../data/wordpress-transfer.ts';
import { nearestReadable } from '../domain/colours.ts';
import type { Messages } from '../i18n/messages.ts';
import { Refused, refusalOrThrow } from '../i18n/refusals.ts';
import { storeSiteImage } from './site-images.server.ts';

/** Result of a form of the page *WordPress* of the site's settings. */
export type WordPressResult = {
  /** Why a form was rejected: that of the connection, or that of the transfer. */
  rejected?: RejectedForm;
  at: 'connection' | 'transfer';
  /** Submitted values of the connection. The password is not shown again. */
  form?: WordPressForm;
  /** The user of WordPress, after a test that succeeded. */
  user?: WordPressUser;
  done?: 'saved' | 'removed' | 'accepted' | 'declined';
  /** The code to enter in WordPress. It is shown once and not stored. */
  code?: string;
  /** Results for the people that were accepted. */
  results?: TransferResult[];
};

const TRANSFER_ACTS = ['code', 'accept', 'decline'];

/** Handles a form of the page *WordPress*. Only owners get here; the database decides again. */
export async function handleWordPressForm(
  messages: Messages,
  backend: BackendClient,
  form: FormData,
): Promise<WordPressResult> {
  const act = fieldText(form, 'act');
  const at = TRANSFER_ACTS.includes(act) ? 'transfer' : 'connection';
  const sent = connectionForm(form);
  const shown = act === 'save' ? { form: sent } : {};
  try {
    return { at, ...shown, ...(await changeWordPress(messages, backend, act, form, sent)) };
  } catch (error) {
    return { at, ...shown, rejected: rejectForm(refusalOrThrow(error), messages) };
  }
}

const connectionForm = (form: FormData): WordPressForm => ({
  url: fieldText(form, 'url').trim(),
  username: fieldText(form, 'username').trim(),
  password: fieldText(form, 'password'),
});

async function changeWordPress(
  messages: Messages,
  backend: BackendClient,
  act: string,
  form: FormData,
  sent: WordPressForm,
): Promise<Omit<WordPressResult, 'at'>> {
  switch (act) {
    case 'save':
      await saveWordPress(backend, sent);
      return { done: 'saved', form: undefined, ...(await tested(messages, backend)) };
    case 'test':
      return { user: await testWordPress(backend) };
    case 'remove':
      await removeWordPress(backend);
      return { done: 'removed' };
    case 'code': {
      const code = randomBytes(32).toString('base64url');
      await offerTransfer(backend, createHash('sha256').update(code).digest('hex'));
      return { code };
    }
    case 'decline':
      await closeTransfer(backend);
      return { done: 'declined' };
    case 'accept': {
      const transfer = await readTransfer(backend);
      if (!transfer?.content)
        throw new Refused('gone', { message: ({ wordpress }) => wordpress.transfer.gone });
      if (fieldText(form, 'received_at') !== transfer.received_at)
        throw new Refused('conflict', { message: ({ wordpress }) => wordpress.transfer.changed });
      const { content } = transfer;
      const identity = await chosenIdentity(backend, form, content);
      const { results, isDone } = await acceptTransfer(messages, backend, form, content, identity);
      return { results, done: isDone ? 'accepted' : undefined };
    }
  }
  throw new Refused('invalid');
}

/** Tests a connection that was just saved. It remains saved if the test fails. */
async function tested(messages: Messages, backend: BackendClient): Promise<Partial<WordPressResult>> {
  try {
    return { user: await testWordPress(backend) };
  } catch (error) {
    return { rejected: rejectForm(refusalOrThrow(error), messages) };
  }
}

/** Returns the chosen parts of the identity. Stores the logo. @throws Refused if the logo cannot be read */
async function chosenIdentity(
  backend: BackendClient,
  form: FormData,
  content: TransferContent,
): Promise<IdentityFields> {
  const { name, logo, menu } = content;
  return {
    ...(form.has('name') && name && { name }),
    ...(form.has('accent') && coloursOf(content)),
    ...(form.has('menu') && menu && { menu }),
    ...(form.has('logo') &&
      logo && { logo: await storeSiteImage(backend, Buffer.from(logo, 'base64'), 'logo') }),
  };
}

/** Returns the colour of WordPress for both schemes, with enough contrast in each; null without one. */
export const coloursOf = ({ accent }: TransferContent) =>
  accent ? { accent: nearestReadable(accent, 'light'), accent_dark: nearestReadable(accent, 'dark') } : null;

/** Result of a form of the page *Filing by chat* of the site's settings. */
export type FilingResult = {
  rejected?: RejectedForm;
  done?: keyof Messages['filing']['site']['done'];
};

/** Handles a form of the page *Filing by chat*. Only owners get here; the database decides again. */
export async function handleFilingForm(
  messages: Messages,
  backend: BackendClient,
  form: FormData,
): Promise<FilingResult> {
  try {
    return { done: await changeFiling(messages, backend, form) };
  } catch (error) {
    return { rejected: rejectForm(refusalOrThrow(error), messages) };
  }
}

async function changeFiling(
  { filing }: Messages,
  backend: BackendClient,
  form: FormData,
): Promise<FilingResult['done']> {
  const sender = fieldText(form, 'sender');
  switch (fieldText(form, 'act')) {
    case 'connect':
      await connectTelegram(backend, fieldText(form, 'token').trim());
      return 'connected';
    case 'test':
      await testTelegram(backend, filing.site.testText);
      return 'tested';
    case 'disconnect':
      await disconnectTelegram(backend);
      return 'disconnected';
    case 'trust':
      await setFilingTrust(backend, sender, true);
      return 'trusted';
    case 'distrust':
      await setFilingTrust(backend, sender, false);
      return 'distrusted';
    case 'unlink':
      await unlinkFilingSender(backend, sender);
      return 'unlinked';
  }
  throw new Refused('invalid');
}
