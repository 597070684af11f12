import { reader as words } from '../../lib/text/reader.ts';

type Props = { caption: string | null; credit: string | null };

/** What stands under a photo, if anything does. */
export function PhotoCaption({ caption, credit }: Props) {
  if (!caption && !credit) return null;
  return (
    <figcaption>
      {caption} {credit && <cite>{words.photoBy(credit)}</cite>}
    </figcaption>
  );
}
