import { bodyText, excerpt, shorten } from '../../../lib/body/text.ts';
import { around, placesOf } from '../../../lib/desk/found.ts';
import type { DeskUpdate } from '../../../lib/desk/update.ts';
import { desk as words } from '../../../lib/text/desk.ts';
import { deskList } from '../../../lib/text/desk-list.ts';
import { directionOf } from '../../../lib/text/direction.ts';
import { currentLanguage } from '../../../lib/text/language.ts';
import { Body } from '../Body.tsx';
import { RowPhotos } from './RowPhotos.tsx';
import type { Frame } from './UpdateRow.tsx';

/** Characters of a published update in the list: its readers' page has them all. */
const EXCERPT = 240;

/** The words of an update. What waits is shown whole, because somebody has to decide on it. */
export function RowWords({ update, frame }: { update: DeskUpdate; frame: Frame }) {
  const { state, headline, body, photos, desk_note, withdrawn_reason } = update;
  const { language } = frame;
  const sought = frame.sought === '' ? [] : frame.sought.split(' ');
  const own = { lang: currentLanguage(), dir: directionOf(currentLanguage()) };
  return (
    <div className="words" lang={language} dir={directionOf(language)}>
      {headline && <h3>{headline}</h3>}
      {state === 'published' ? <p>{brief(update, sought)}</p> : <Body body={body} />}
      <FoundBeside update={update} sought={sought} />
      {state !== 'withdrawn' && <RowPhotos photos={photos} />}
      {state === 'withdrawn' && (
        <p>
          <b {...own}>{words.list.reason}</b> {withdrawn_reason}
        </p>
      )}
      {body.length === 0 && !headline && state !== 'withdrawn' && (
        <p className="help" {...own}>
          {words.list.noWords}
        </p>
      )}
      {desk_note && (
        <p className="desk-note">
          <b {...own}>{words.list.deskNote}</b> {desk_note}
        </p>
      )}
    </div>
  );
}

/** The beginning of what readers see, or what was found in it. */
function brief({ body }: DeskUpdate, sought: string[]): string {
  if (sought.length === 0) return excerpt(body, EXCERPT);
  return shorten(around(bodyText(body), sought, EXCERPT), EXCERPT);
}

/** What was found where a row has no place for it otherwise. */
function FoundBeside({ update, sought }: { update: DeskUpdate; sought: string[] }) {
  return (['dateline', 'attribution'] as const).map((field) => {
    const text = update[field] ?? '';
    if (placesOf(text, sought).length === 0) return null;
    return (
      <p key={field} className="found-beside">
        <b lang={currentLanguage()}>{deskList[field]}</b> {text}
      </p>
    );
  });
}
