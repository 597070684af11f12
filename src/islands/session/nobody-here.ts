import { setDevicePerson } from '../outbox/drafts.ts';

/** On a page that was made for nobody: whoever was signed in on this device is not any more, and sees nothing of theirs. */
export function nobodyIsHere(): void {
  if (document.querySelector('[data-nobody]')) void setDevicePerson(null).catch(() => undefined);
}
