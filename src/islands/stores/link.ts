import { atom, type ReadableAtom } from 'nanostores';
import type { Link } from '../../lib/body/blocks.ts';
import { typedAddress, withLine, withoutLine } from '../../lib/desk/links.ts';
import { deskLinks as messages } from '../../lib/text/desk-links.ts';
import type { Desk } from './desk.ts';
import type { Editor } from './editor.ts';
import { refusalOf } from './refusal-of.ts';

/** How far a link is on its way into the text. */
export type LinkStatus =
  | { step: 'typing' }
  | { step: 'loading' }
  /** It stands in the text; without `link` there is no description of it. */
  | { step: 'added'; url: string; link?: Link }
  | { step: 'removed' }
  /** `mayAdd`: what cannot be described (a PDF, a page that keeps programs out) may be a good address all the same. */
  | { step: 'refused'; sentence: string; mayAdd: boolean };

export type LinkFetcher = {
  $address: ReadableAtom<string>;
  $status: ReadableAtom<LinkStatus>;
  type(address: string): void;
  /** Looks at the page, then puts the address into the text. What is typed meanwhile, there too, stays. */
  add(): Promise<void>;
  /** Puts it in as it is. */
  addPlain(): void;
  remove(): void;
};

/** Brings links into an update that is being written. */
export function makeLinkFetcher(
  { unfurl }: Pick<Desk, 'unfurl'>,
  { $edited, change }: Pick<Editor, '$edited' | 'change'>,
): LinkFetcher {
  const $address = atom('');
  const $status = atom<LinkStatus>({ step: 'typing' });
  /** Which look the field waits for: an address that was changed meanwhile is not brought in by an old one. */
  let requestNumber = 0;

  function validAddress(): string | null {
    const url = typedAddress($address.get());
    if (!url) $status.set({ step: 'refused', sentence: messages.notAnAddress, mayAdd: false });
    return url;
  }

  function insert(url: string, link?: Link): void {
    const { body, links } = $edited.get().form;
    const others = links.filter((other) => other.url !== url);
    const longerBody = withLine(body, url);
    change({ body: longerBody, links: link ? [...others, link] : others });
    // What is on its way to the desk is not changed any more.
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
        const { code, sentence } = refusalOf(error);
        if (isOutdated()) return;
        const said = code === 'unavailable' ? messages.offline : sentence;
        $status.set({ step: 'refused', sentence: said, mayAdd: true });
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
        body: withoutLine(body, status.url),
        links: links.filter(({ url }) => url !== status.url),
      });
      $address.set(status.url);
      $status.set({ step: 'removed' });
    },
  };
}
