import { atom, type ReadableAtom } from 'nanostores';
import { EMPTY_POST_FORM, type FetchedPost, type PostForm, typedPost } from '../../lib/data/posts.ts';
import { parseTypedUrl } from '../../lib/data/update-form.ts';
import type { Body } from '../../lib/domain/body/blocks.ts';
import { insertMarkdown } from '../../lib/domain/body/edit.ts';
import { parseBody } from '../../lib/domain/body/source.ts';
import { writeBody } from '../../lib/domain/body/write-source.ts';
import { hasPublicInterface } from '../../lib/domain/posts.ts';
import { machineTime } from '../../lib/domain/time.ts';
import { sentenceOf } from '../../lib/i18n/refusals.ts';
import type { DeskMessages } from '../desk/messages.tsx';
import { refusalOf } from '../desk/task.ts';
import type { EditorStore } from './editor.ts';

/** State of the field that quotes a post. */
export type QuoteStatus =
  | { step: 'typing' }
  | { step: 'loading' }
  /** The address is no address. */
  | { step: 'refused'; sentence: string }
  /** The writer types the post. `problems` are the fields that are missing. */
  | { step: 'fields'; sentence: string; problems: ('author' | 'text')[] }
  /** The post is in the text as `markdown`. */
  | { step: 'added'; body: Body; markdown: string; url: string }
  | { step: 'removed' };

export type PostQuoter = {
  $address: ReadableAtom<string>;
  $form: ReadableAtom<PostForm>;
  $status: ReadableAtom<QuoteStatus>;
  typeAddress(address: string): void;
  type(part: Partial<PostForm>): void;
  /** Reads the post and inserts it, or inserts what was typed. Text that was typed into the update meanwhile stays. */
  add(): Promise<void>;
  remove(): void;
};

/**
 * Inserts posts of social networks into an update.
 * @param fetchPost throws Refused
 * @param timeZone zone of the typed time
 */
export function makePostQuoter(
  messages: DeskMessages,
  fetchPost: (url: string) => Promise<FetchedPost>,
  timeZone: string,
  { $edited, change }: Pick<EditorStore, '$edited' | 'change'>,
): PostQuoter {
  const $address = atom('');
  const $form = atom(EMPTY_POST_FORM);
  const $status = atom<QuoteStatus>({ step: 'typing' });
  /** Number of the current request. A response to an earlier one is ignored. */
  let requestNumber = 0;

  const askForFields = (sentence: string) => $status.set({ step: 'fields', sentence, problems: [] });

  function insert(post: FetchedPost): void {
    const markdown = writeBody([{ type: 'post', ...post, quoted_at: machineTime(new Date()) }]);
    const { body } = $edited.get().form;
    const end = { text: body, from: body.length, to: body.length };
    const longerBody = `${body}${insertMarkdown(end, markdown, false).insert}\n`;
    change({ body: longerBody });
    // A form that is being sent does not change.
    if ($edited.get().form.body !== longerBody) {
      $status.set({ step: 'typing' });
      return;
    }
    $address.set('');
    $form.set(EMPTY_POST_FORM);
    $status.set({ step: 'added', body: parseBody(markdown), markdown, url: post.url });
  }

  async function read(url: string): Promise<void> {
    const ownNumber = ++requestNumber;
    const { id } = $edited.get();
    $status.set({ step: 'loading' });
    const post = await fetchPost(url).catch(refusalOf);
    if (ownNumber !== requestNumber || $edited.get().id !== id) return;
    if ('code' in post) {
      const isOffline = post.code === 'unavailable';
      return askForFields(isOffline ? messages.deskPosts.offline : sentenceOf(post, messages));
    }
    if (post.text) return insert(post);
    $form.set({ ...$form.get(), author: post.author, handle: post.handle ?? '' });
    askForFields(messages.deskPosts.noText);
  }

  return {
    $address,
    $form,
    $status,
    typeAddress(address) {
      requestNumber++;
      $address.set(address);
      if ($status.get().step !== 'fields') $status.set({ step: 'typing' });
    },
    type(part) {
      $form.set({ ...$form.get(), ...part });
    },
    async add() {
      const status = $status.get();
      const url = parseTypedUrl($address.get());
      if (!url) return $status.set({ step: 'refused', sentence: messages.deskPosts.notAnAddress });
      if (status.step === 'loading') return;
      const post = typedPost(url, $form.get(), timeZone);
      if (status.step === 'fields') {
        const problems = (['author', 'text'] as const).filter((field) => !post[field]);
        if (problems.length === 0) return insert(post);
        return $status.set({ step: 'fields', sentence: messages.deskPosts.incomplete, problems });
      }
      return hasPublicInterface(url) ? read(url) : askForFields(messages.deskPosts.unreadable);
    },
    remove() {
      const status = $status.get();
      if (status.step !== 'added') return;
      const { body } = $edited.get().form;
      const at = body.lastIndexOf(status.markdown);
      if (at >= 0) {
        const before = body.slice(0, at).trimEnd();
        const after = body.slice(at + status.markdown.length).trim();
        change({ body: [before, after].filter(Boolean).join('\n\n') });
      }
      $address.set(status.url);
      $status.set({ step: 'removed' });
    },
  };
}
