import { type ComponentType, createContext, useContext } from 'react';
import { composer, deskLinks, deskPosts, outbox } from '../../lib/i18n/en/composer.ts';
import { corrections } from '../../lib/i18n/en/corrections.ts';
import { desk, deskOffline, running } from '../../lib/i18n/en/desk.ts';
import { deskList } from '../../lib/i18n/en/desk-list.ts';
import { errors, quoting } from '../../lib/i18n/en/errors.ts';
import { deskPhotos, photoPicker } from '../../lib/i18n/en/photos.ts';
import { reader } from '../../lib/i18n/en/reader.ts';
import { tipQueue } from '../../lib/i18n/en/tip-queue.ts';
import { type Language, supportedLanguage } from '../../lib/i18n/language.ts';
import { islandMessages } from '../../lib/i18n/messages.ts';

const english = {
  language: 'en' as Language,
  composer,
  corrections,
  desk,
  deskLinks,
  deskList,
  deskOffline,
  deskPhotos,
  deskPosts,
  errors,
  outbox,
  photoPicker,
  quoting,
  reader,
  running,
  tipQueue,
};

/** Messages of the islands at the desk. */
export type DeskMessages = typeof english;

/** Returns the messages of the desk's islands in a language. In a browser they are loaded before hydration. */
const deskMessages: (language: Language) => DeskMessages = islandMessages(english);

/** Messages in the language of the island's page. */
export const MessagesContext = createContext<DeskMessages>(english);

export const useMessages = (): DeskMessages => useContext(MessagesContext);

/** The messages in a language, such as that of a coverage; in the language of `messages` if it is not supported. */
export const messagesIn = (messages: DeskMessages, tag: string): DeskMessages =>
  deskMessages(supportedLanguage(tag) ?? messages.language);

/** Makes an island at the desk, which gives its components the messages in `language`. */
export const deskIsland = <Props extends { language: Language }>(Island: ComponentType<Props>) =>
  function DeskIsland(props: Props) {
    return (
      <MessagesContext value={deskMessages(props.language)}>
        <Island {...props} />
      </MessagesContext>
    );
  };
