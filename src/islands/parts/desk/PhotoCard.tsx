import { characters } from '../../../lib/desk/form.ts';
import { LIMITS } from '../../../lib/limits.ts';
import type { FormPhoto, PhotoProblems, PhotoWords } from '../../../lib/photos/form.ts';
import { composer } from '../../../lib/text/composer.ts';
import { deskPhotos as messages } from '../../../lib/text/desk-photos.ts';
import type { PhotoStatus } from '../../stores/photo-status.ts';
import { Field } from './Field.tsx';
import { PhotoProgress } from './PhotoProgress.tsx';
import { PhotoThumb } from './PhotoThumb.tsx';

type Props = {
  photo: FormPhoto;
  status: PhotoStatus | undefined;
  /** Where it stands among the photos of the update. */
  index: number;
  count: number;
  problem?: PhotoProblems[string];
  isSending: boolean;
  language: string;
  reword(words: Partial<PhotoWords>): void;
  move(by: -1 | 1): void;
  takeAway(): void;
  /** Whether it stands at a line of the text, after it, or there is no text to stand in. */
  place: 'in' | 'after' | null;
  putIn(): void;
  putAfter(): void;
};

/** One photo of an update that is being written: how far it has come, its words, its place. */
export function PhotoCard(props: Props) {
  const { photo, status, index, count, problem } = props;
  const [length, most] = [characters(photo.alt.trim()), LIMITS.alt];
  return (
    <li tabIndex={-1} className="photo-card" aria-label={messages.item(index + 1, count)}>
      <PhotoThumb picture={status?.picture ?? null} />
      <div className="photo-words">
        {status && <PhotoProgress status={status} />}
        <WordsField {...props} name="alt" rows={2} help={index === 0 ? messages.altHelp : undefined} />
        {length > 0 && <p className="help count">{messages.count(length, most)}</p>}
        <details open={(problem && problem.field !== 'alt') || undefined}>
          <summary>{messages.more}</summary>
          <WordsField {...props} name="caption" rows={2} />
          <WordsField {...props} name="credit" />
        </details>
        {props.place === 'in' && (
          <p className="help">{composer.photoPlaces.stands(composer.photoLine(index + 1))}</p>
        )}
        <CardActions {...props} />
      </div>
    </li>
  );
}

type FieldProps = Props & { name: keyof PhotoWords; help?: string; rows?: number };

function WordsField({ name, help, rows = 1, problem, photo, isSending, language, reword }: FieldProps) {
  return (
    <Field
      label={messages[name]}
      help={help}
      problem={problem?.field === name ? problem.sentence : undefined}
    >
      {(control) => (
        <textarea
          {...control}
          rows={rows}
          value={photo[name]}
          lang={language}
          dir="auto"
          readOnly={isSending}
          onChange={(event) => reword({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
}

function CardActions({ index, count, isSending, move, takeAway, place, putIn, putAfter }: Props) {
  const button = (label: string, isOff: boolean, press: () => void) => (
    <button
      type="button"
      aria-label={messages.about(label, index + 1)}
      aria-disabled={isOff || isSending || undefined}
      onClick={(event) => {
        if (isOff || isSending) return;
        const { currentTarget } = event;
        press();
        // Moved in its list, it has lost the focus.
        requestAnimationFrame(() => {
          if (currentTarget.isConnected && document.activeElement === document.body) currentTarget.focus();
        });
      }}
    >
      {label}
    </button>
  );
  return (
    <div className="row-actions">
      {count > 1 && button(messages.earlier, index === 0, () => move(-1))}
      {count > 1 && button(messages.later, index === count - 1, () => move(1))}
      {place === 'after' && button(composer.photoPlaces.into, false, putIn)}
      {place === 'in' && button(composer.photoPlaces.out, false, putAfter)}
      {button(messages.takeAway, false, takeAway)}
    </div>
  );
}
