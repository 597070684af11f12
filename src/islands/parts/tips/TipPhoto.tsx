import { useEffect, useRef } from 'react';
import { deskPhotoPath, PHOTO_WIDTHS } from '../../../lib/photos/photo.ts';
import { tipQueue as messages } from '../../../lib/text/tip-queue.ts';
import type { QueueTip } from '../../../lib/tips/queue.ts';
import type { TipQueue } from '../../stores/tip-queue.ts';

type Props = { queue: TipQueue; photo: NonNullable<QueueTip['photo']> };

/** The photo that came with a tip: nobody has to see it who has not asked for it. */
export function TipPhoto({ queue, photo }: Props) {
  const place = useRef<HTMLDetailsElement>(null);
  const { id, state, width, height, prints } = photo;
  const seen = () => {
    if (!queue.$seen.get().has(id)) queue.$seen.set(new Set([...queue.$seen.get(), id]));
  };
  // It may have been opened before this was listened for.
  useEffect(() => {
    const image = place.current?.querySelector('img');
    if (place.current?.open && image?.complete && image.naturalWidth > 0) seen();
  });
  if (state !== 'ready') {
    return <p className="help">{state === 'arriving' ? messages.photo.arriving : messages.photo.refused}</p>;
  }
  return (
    <details className="tip-photo" ref={place}>
      <summary data-action="photo">
        {messages.photo.show} <small>{messages.photo.caution}</small>
      </summary>
      <img
        src={deskPhotoPath(id, PHOTO_WIDTHS[0])}
        srcSet={prints.length > 1 ? srcSet(id, prints.length) : undefined}
        sizes="(min-width: 40rem) 30rem, 100vw"
        alt={messages.photo.alt}
        width={width ?? undefined}
        height={height ?? undefined}
        loading="lazy"
        decoding="async"
        onLoad={seen}
      />
    </details>
  );
}

const srcSet = (id: string, prints: number) =>
  PHOTO_WIDTHS.slice(0, prints)
    .map((width) => `${deskPhotoPath(id, width)} ${width}w`)
    .join(', ');
