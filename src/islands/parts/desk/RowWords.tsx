import { bodyText, excerpt, shorten } from '../../../lib/body/text.ts';
import { around, placesOf } from '../../../lib/desk/found.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as messages } from '../../../lib/text/desk.ts';
import { deskList } from '../../../lib/text/desk-list.ts';
import { directionOf } from '../../../lib/text/direction.ts';
import { currentLanguage } from '../../../lib/text/language.ts';
import { Body } from '../Body.tsx';
import { RowPhotos } from './RowPhotos.tsx';
import type { RowContext } from './UpdateRow.tsx';

/** Length of the excerpt of a published update in characters. */
const EXCERPT_LENGTH = 240;

/** Text of an update. Unpublished text is shown in full, because an editor decides on it. */
export function RowText({ update, context }: { update: DeskUpdate; context: RowContext }) {
  const { state, headline, body, photos, desk_note, withdrawn_reason } = update;
  const { language } = context;
  const queryWords = context.query === '' ? [] : context.query.split(' ');
  const languageProps = { lang: currentLanguage(), dir: directionOf(currentLanguage()) };
  return (
    <div className="words" lang={language} dir={directionOf(language)}>
      {headline && <h3>{headline}</h3>}
      {state === 'published' ? <p>{excerptOf(update, queryWords)}</p> : <Body body={body} />}
      <MatchBeside update={update} queryWords={queryWords} />
      {state !== 'withdrawn' && <RowPhotos photos={photos} />}
      {state === 'withdrawn' && (
        <p>
          <b {...languageProps}>{messages.list.reason}</b> {withdrawn_reason}
        </p>
      )}
      {body.length === 0 && !headline && state !== 'withdrawn' && (
        <p className="help" {...languageProps}>
          {messages.list.noWords}
        </p>
      )}
      {desk_note && (
        <p className="desk-note">
          <b {...languageProps}>{messages.list.deskNote}</b> {desk_note}
        </p>
      )}
    </div>
  );
}

/** The beginning of the text, or the part around a match. */
function excerptOf({ body }: DeskUpdate, queryWords: string[]): string {
  if (queryWords.length === 0) return excerpt(body, EXCERPT_LENGTH);
  return shorten(around(bodyText(body), queryWords, EXCERPT_LENGTH), EXCERPT_LENGTH);
}

/** Matching fields that a row does not show otherwise. */
function MatchBeside({ update, queryWords }: { update: DeskUpdate; queryWords: string[] }) {
  return (['dateline', 'attribution'] as const).map((field) => {
    const text = update[field] ?? '';
    if (placesOf(text, queryWords).length === 0) return null;
    return (
      <p key={field} className="found-beside">
        <b lang={currentLanguage()}>{deskList[field]}</b> {text}
      </p>
    );
  });
}
