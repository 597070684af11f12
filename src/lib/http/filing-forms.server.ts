import {
  connectTelegram,
  disconnectTelegram,
  setFilingTrust,
  testTelegram,
  unlinkFilingSender,
} from '../data/filing.ts';
import { fieldText, type RejectedForm, rejectForm } from '../data/forms.ts';
import type { BackendClient } from '../data/result.ts';
import type { Messages } from '../i18n/messages.ts';
import { Refused, refusalOrThrow } from '../i18n/refusals.ts';

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
    return { done: await handle(messages, backend, form) };
  } catch (error) {
    return { rejected: rejectForm(refusalOrThrow(error), messages) };
  }
}

async function handle(
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
