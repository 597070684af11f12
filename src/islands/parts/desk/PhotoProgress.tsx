import { deskPhotos as messages, photoRefusal } from '../../../lib/text/desk-photos.ts';
import type { PhotoStatus } from '../../stores/photo-status.ts';

type Props = {
  status: PhotoStatus;
  /** What the photo is for, where that is not plain. */
  about?: string;
};

/** How far a photo has come, in words and, while it is being sent, as a bar. Nothing here is announced: it moves too often. */
export function PhotoProgress({ status, about }: Props) {
  const { step, sent, refusal } = status;
  const isRefused = step === 'refused';
  const how = isRefused
    ? photoRefusal(refusal)
    : step === 'sending'
      ? messages.sending(sent)
      : messages.steps[step];
  return (
    <>
      <p className={isRefused ? 'photo-step refused-photo' : 'photo-step'}>
        {about ? messages.tray.about(about, how) : how}
      </p>
      {step === 'sending' && <progress max={100} value={sent} aria-label={messages.progress} />}
    </>
  );
}

/** What the photos wait for, once for all of them: they wait for the same. */
export function PhotoHoldUp({ statuses }: { statuses: (PhotoStatus | undefined)[] }) {
  const holdUp = statuses.find((status) => status?.holdUp)?.holdUp;
  return holdUp && <p className="photo-step hold-up">{messages.holdUps[holdUp]}</p>;
}
