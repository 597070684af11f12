import { useState } from 'react';
import type { TipValues } from '../../lib/data/tips.ts';
import { PHOTO_TYPES } from '../../lib/domain/photos.ts';
import { Field } from '../shared/Field.tsx';
import type { TipMessages } from './messages.ts';
import type { SubmissionStatus } from './store.ts';

type Props = {
  messages: TipMessages;
  text: TipValues;
  status: Exclude<SubmissionStatus, { step: 'received' }>;
  isReady: boolean;
  /** Whether the text was restored from this device. */
  isRestored: boolean;
  /** Name of the signed-in person. */
  me: string | undefined;
  onPhoto: () => void;
  onStop: () => void;
  onDiscard: () => void;
};

/** Fields of a tip and the status of sending. */
export function TipFields({
  messages,
  text,
  status,
  isReady,
  isRestored,
  me,
  onPhoto,
  onStop,
  onDiscard,
}: Props) {
  const problems = status.step === 'writing' ? status.problems : {};
  const isSending = status.step === 'sending';
  /** Its data URL. Empty while it is drawn, null without a photo. */
  const [thumbnail, setThumbnail] = useState<string | null>(null);
  async function showThumbnail(input: HTMLInputElement) {
    const file = input.files?.[0];
    // Its place is there at once, so that the button below does not move later.
    setThumbnail(file ? '' : null);
    const drawn = file ? await thumbnailOf(file) : null;
    // Another photo may have been chosen meanwhile, or none.
    if (input.files?.[0] === file) setThumbnail(drawn);
  }
  function discard() {
    onDiscard();
    setThumbnail(null);
  }
  return (
    <>
      {status.step === 'writing' && status.sentence && (
        <p className="refused" role="alert">
          {status.sentence}
        </p>
      )}
      {isRestored && (
        <p className="help" role="status">
          {messages.isBack}{' '}
          <button type="button" className="quiet" onClick={discard}>
            {messages.throwAway}
          </button>
        </p>
      )}
      <input type="hidden" name="coverage" value={text.coverage} />
      <Field label={messages.body} help={messages.bodyHelp} problem={problems.body}>
        {(control) => (
          <textarea
            {...control}
            name="body"
            rows={5}
            dir="auto"
            required
            readOnly={isSending}
            defaultValue={text.body}
          />
        )}
      </Field>
      <Field label={messages.name} problem={problems.name}>
        {(control) => (
          <input {...control} name="name" autoComplete="name" readOnly={isSending} defaultValue={text.name} />
        )}
      </Field>
      <Check
        name="may_be_named"
        label={messages.mayName}
        help={messages.mayNameHelp}
        isOn={text.may_be_named}
      />
      <Field label={messages.contact} help={messages.contactHelp} problem={problems.contact}>
        {(control) => <input {...control} name="contact" readOnly={isSending} defaultValue={text.contact} />}
      </Field>
      <Field
        label={messages.photo}
        help={`${messages.photoHelp} ${isReady ? messages.photoShrinks : messages.photoPlain}`}
        problem={problems.photo}
      >
        {(control) => (
          <input
            {...control}
            type="file"
            name="photo"
            accept={PHOTO_TYPES.join()}
            disabled={isSending}
            onChange={({ currentTarget }) => {
              onPhoto();
              void showThumbnail(currentTarget);
            }}
          />
        )}
      </Field>
      {thumbnail !== null && (
        <p className="thumbnail-of-tip">{thumbnail && <img src={thumbnail} alt={messages.photoChosen} />}</p>
      )}
      {/* A field that only bots fill in. It is hidden and not focusable. */}
      <p className="visually-hidden" aria-hidden="true" inert>
        <label>
          {messages.website} <input name="website" tabIndex={-1} autoComplete="off" />
        </label>
      </p>
      {me && <Check name="mine" label={messages.mine} help={messages.mineHelp(me)} isOn />}
      {isReady && <p className="field help">{messages.kept}</p>}
      <p className="actions">
        <button type="submit" className="main" aria-disabled={isSending || undefined}>
          {messages.send}
        </button>
        {isSending && status.isWaiting && (
          <button type="button" onClick={onStop}>
            {messages.stop}
          </button>
        )}
        <a href="/privacy">{messages.privacy}</a>
      </p>
      <p className="status" role="status">
        {isSending && sendingMessage(messages, status)}
      </p>
    </>
  );
}

function sendingMessage(
  messages: TipMessages,
  { isWaiting, isStored }: Extract<SubmissionStatus, { step: 'sending' }>,
): string {
  if (!isWaiting) return messages.sending;
  return isStored ? messages.waitsHere : messages.waiting;
}

type CheckProps = { name: string; label: string; help: string; isOn: boolean };

function Check({ name, label, help, isOn }: CheckProps) {
  return (
    <p className="field check">
      <label>
        <input type="checkbox" name={name} defaultChecked={isOn} aria-describedby={`tip-${name}`} /> {label}
      </label>
      <span className="help" id={`tip-${name}`}>
        {help}
      </span>
    </p>
  );
}

/** Width of a thumbnail in pixels, enough for sharp screens. */
const THUMBNAIL_WIDTH = 240;

/** Draws a small copy of a photo. @returns a data URL; null if this browser cannot show the file */
async function thumbnailOf(file: File): Promise<string | null> {
  try {
    const bitmap = await createImageBitmap(file, { resizeWidth: THUMBNAIL_WIDTH });
    const canvas = Object.assign(document.createElement('canvas'), {
      width: bitmap.width,
      height: bitmap.height,
    });
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    bitmap.close();
    return canvas.toDataURL('image/jpeg', 0.8);
  } catch {
    return null;
  }
}
