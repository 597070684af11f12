import { photoRefusal, deskPhotos as words } from '../../../lib/text/desk-photos.ts';
import type { PhotoStatus } from '../../stores/photos.ts';

/** How far a photo has come, in words and, while it is being sent, as a bar. Nothing here is announced: it moves too often. */
export function PhotoProgress({ status }: { status: PhotoStatus | undefined }) {
  if (!status) return null;
  const { step, sent, refusal } = status;
  if (step === 'refused') return <p className="photo-step refused-photo">{photoRefusal(refusal)}</p>;
  return (
    <>
      <p className="photo-step">{sentence(status)}</p>
      {step === 'sending' && <progress max={100} value={sent} aria-label={words.progress} />}
    </>
  );
}

function sentence({ step, sent, holdUp }: PhotoStatus): string {
  if (step === 'sending') {
    return holdUp ? `${words.sending(sent)}. ${words.holdUps[holdUp]}` : words.sending(sent);
  }
  return step === 'refused' ? '' : holdUp ? words.holdUps[holdUp] : words.steps[step];
}
