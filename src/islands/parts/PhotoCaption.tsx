import { useReaderMessages } from './readers-words.ts';

type Props = { caption: string | null; credit: string | null };

/** Caption and credit of a photo. */
export function PhotoCaption({ caption, credit }: Props) {
  const messages = useReaderMessages();
  if (!caption && !credit) return null;
  return (
    <figcaption>
      {caption} {credit && <cite>{messages.photoBy(credit)}</cite>}
    </figcaption>
  );
}
