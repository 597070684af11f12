import { setDevicePerson } from '../outbox/drafts.ts';

/** Forgets the device's person on pages that were rendered for a visitor. */
export function clearDevice(): void {
  if (document.querySelector('[data-nobody]')) void setDevicePerson(null).catch(() => undefined);
}
