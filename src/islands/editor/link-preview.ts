import { atom, type ReadableAtom } from 'nanostores';
import { appendUrlLine, parseTypedUrl, removeUrlLine } from '../../lib/data/update-form.ts';
import type { Link } from '../../lib/domain/body/blocks.ts';
import { sentenceOf } from '../../lib/i18n/refusals.ts';
import type { DeskMessages } from '../desk/messages.tsx';
import { refusalOf } from '../desk/task.ts';
import type { EditorStore } from './editor.ts';

/** State of the field that inserts a link. */
export type LinkStatus =
  | { step: 'typing' }
  | { step: 'loading' }
  /** The link is in the text. Without `link` it has no description. */
  | { step: 'added'; url: string; link?: Link }
  | { step: 'removed' }
  /** `mayAdd`: the page has no description, but the address may be valid, for example a PDF. */
  | { step: 'refused'; sentence: string; mayAdd: boolean };

export type LinkFetcher = {
  $address: ReadableAtom<string>;
  $status: ReadableAtom<LinkStatus>;
  type(address: string): void;
  /** Fetches the page's description, then inserts the address. Text that was typed meanwhile stays. */
  add(): Promise<void>;
  /** Inserts the address without a description. */
  addPlain(): void;
  remove(): void;
};

/**
 * Inserts links with their descriptions into an update.
 * @param unfurl fetches the description of a web page; throws Refused
 */
export function makeLinkFetcher(
  messages: DeskMessages,
  unfurl: (url: string) => Promise<Link>,
  { $edited, change }: Pick<EditorStore, '$edited' | 'change'>,
): LinkFetcher {
  const $address = atom('');
  const $status = atom<LinkStatus>({ step: 'typing' });
  /** Number of the current request. A response to an earlier one is ignored. */
  let requestNumber = 0;

  function validAddress(): string | null {
    const url = parseTypedUrl($address.get());
    if (!url) $status.set({ step: 'refused', sentence: messages.deskLinks.notAnAddress, mayAdd: false });
    return url;
  }

  function insert(url: string, link?: Link): void {
    const { body, links } = $edited.get().form;
    const others = links.filter((other) => other.url !== url);
    const longerBody = appendUrlLine(body, url);
    change({ body: longerBody, links: link ? [...others, link] : others });
    // A form that is being sent does not change.
    const isInserted = $edited.get().form.body === longerBody;
    if (isInserted) $address.set('');
    $status.set(isInserted ? { step: 'added', url, ...(link ? { link } : {}) } : { step: 'typing' });
  }

  return {
    $address,
    $status,
    type(address) {
      requestNumber++;
      $address.set(address);
      $status.set({ step: 'typing' });
    },
    async add() {
      const url = validAddress();
      if (!url || $status.get().step === 'loading') return;
      const ownNumber = ++requestNumber;
      const { id } = $edited.get();
      const isOutdated = () => ownNumber !== requestNumber || $edited.get().id !== id;
      $status.set({ step: 'loading' });
      try {
        const link = await unfurl(url);
        if (!isOutdated()) insert(url, link);
      } catch (error) {
        const refusal = refusalOf(error);
        if (isOutdated()) return;
        const message =
          refusal.code === 'unavailable' ? messages.deskLinks.offline : sentenceOf(refusal, messages);
        $status.set({ step: 'refused', sentence: message, mayAdd: true });
      }
    },
    addPlain() {
      const url = validAddress();
      if (url) insert(url);
    },
    remove() {
      const status = $status.get();
      if (status.step !== 'added') return;
      const { body, links } = $edited.get().form;
      change({
        body: removeUrlLine(body, status.url),
        links: links.filter(({ url }) => url !== status.url),
      });
      $address.set(status.url);
      $status.set({ step: 'removed' });
    },
  };
}
