import { useEffect } from 'react';
import { deskOffline as messages } from '../../../lib/text/desk-offline.ts';
import type { Known } from '../../browser/known-desks.ts';
import { returnToPage } from '../come-back.ts';

/** There is no line, and nothing to be done here: it goes back by itself. `known`: absent until that has been looked up. */
export function Unreachable({ known }: { known?: Known[] | undefined }) {
  const isSettled = known !== undefined;
  useEffect(() => {
    // Before it is known that nobody writes here, nothing is loaded anew.
    if (isSettled) returnToPage();
  }, [isSettled]);
  return (
    <main id="main" className="plain">
      <h1>{messages.title}</h1>
      <p>{messages.say}</p>
      <p className="more">
        <button type="button" id="come-back">
          {messages.again}
        </button>
      </p>
      {known && known.length > 0 && (
        <>
          <h2>{messages.known}</h2>
          <ul className="known-desks">
            {known.map(({ slug, headline, language }) => (
              <li key={slug}>
                <a href={`/desk/${slug}`} lang={language} dir="auto">
                  {headline}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </main>
  );
}
