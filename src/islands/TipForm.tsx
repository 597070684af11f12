import { useStore } from '@nanostores/react';
import { type RefObject, type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { BrowserBackend } from '../lib/data/browser-client.ts';
import { NO_TIP, type TipProblems, type TipText, tipProblems, tipsPath } from '../lib/data/tip-form.ts';
import { pathWith } from '../lib/domain/paths.ts';
import { tips as messages } from '../lib/i18n/tips.ts';
import { fill, keptTip, readTip } from './tips/draft.ts';
import { tipOffice } from './tips/pending-tips.ts';
import type { RefusedTip, TipStatus } from './tips/store.ts';
import { TipFields } from './tips/TipFields.tsx';
import { TipReceipts, TipsLeft, TipTaken } from './tips/TipSent.tsx';

type Props = {
  backend: BrowserBackend;
  /** The slug of the coverage that it is about. */
  coverage?: string;
  /** What was sent and refused, to be sent again. */
  text?: TipText;
  problems?: TipProblems;
  /** Why the whole of it was refused. */
  sentence?: string;
  /** Where it is not what the page is for, there is only a way to it until the script is here. */
  folded?: boolean;
};

/** A tip to the newsroom. Without a script it is a plain form; with one, it goes out by itself when the line is back. */
export default function TipForm({
  backend,
  coverage = '',
  text = NO_TIP,
  problems = {},
  sentence,
  folded,
}: Props) {
  const [isReady, setReady] = useState(false);
  const [isBack, setBack] = useState(false);
  const [status, setStatus] = useState<TipStatus>({ step: 'writing', problems, sentence });
  const [kept] = useState(() => keptTip(coverage));
  const [office] = useState(() => tipOffice(backend));
  const me = useStore(office.$me);
  const left = useStore(office.$left);
  const place = useRef<HTMLDivElement>(null);
  const stopping = useRef<AbortController>(null);
  /** What was pressed last is gone, and the words are to be written on. */
  const isStopped = useRef(false);

  useEffect(() => setReady(true), []);
  useEffect(() => {
    const form = formIn(place);
    if (!isReady || !form) return;
    // Somebody may have written before the script was here.
    const written = readTip(new FormData(form));
    if (kept.bringBack(form)) setBack(written.body === '');
    else if (written.body) kept.keep(written);
    if (form.contains(document.activeElement)) void office.load();
    office.start((refused) => {
      const now = formIn(place);
      if (!now || !refused.text || readTip(new FormData(now)).body) return false;
      fill(now, refused.text);
      kept.keep(refused.text);
      setStatus(refused);
      return true;
    });
  }, [isReady, kept, office]);

  async function onSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (status.step !== 'writing') return;
    const form = new FormData(event.currentTarget);
    const sent = readTip(form);
    const wrong = tipProblems(sent);
    if (Object.keys(wrong).length > 0) return setStatus({ step: 'writing', problems: wrong });
    const file = form.get('photo');
    const press = {
      text: sent,
      photo: file instanceof File && file.size > 0 ? file : null,
      person: form.has('mine') ? (me?.id ?? null) : null,
      website: String(form.get('website') ?? ''),
      took_ms: kept.took(),
    };
    stopping.current = new AbortController();
    setBack(false);
    setStatus({ step: 'sending', waits: false, isKept: false });
    const sender = await office.load();
    if (!sender) return setStatus({ step: 'writing', problems: {}, sentence: messages.refused.unavailable });
    await sender.press(press, onNews, stopping.current.signal);
  }
  function onNews(news: TipStatus | null) {
    isStopped.current = news?.step === 'writing' && !news.sentence && Object.keys(news.problems).length === 0;
    // What is kept to be sent is no draft any more; what comes back is one again.
    const form = formIn(place);
    if (news?.step === 'writing') form && kept.keep(readTip(new FormData(form)));
    else if (!news || news.step === 'taken' || news.isKept) kept.drop();
    setStatus(news ?? { step: 'writing', problems: {} });
  }
  function writeOn() {
    isStopped.current = true;
    setStatus({ step: 'writing', problems: {} });
  }
  async function giveBack(id: string, refused: RefusedTip) {
    if (await office.giveBack(id, refused)) return;
    // What stands in its place.
    place.current?.querySelector('textarea')?.focus();
  }
  function throwAway() {
    kept.drop();
    formIn(place)?.reset();
    setBack(false);
    writeOn();
  }
  const isAnyLeft = Object.keys(left).length > 0;
  useEffect(() => {
    // Whoever pressed it sees what becomes of it, where the form is folded too.
    if (isAnyLeft) place.current?.closest('details')?.setAttribute('open', '');
  }, [isAnyLeft]);
  const isTaken = status.step === 'taken';
  // What had the focus is gone with the form; what is wrong is read out where it is.
  useEffect(() => {
    if (isTaken) place.current?.focus();
  }, [isTaken]);
  useEffect(() => {
    if (status.step !== 'writing') return;
    const wrong = place.current?.querySelector<HTMLElement>('[aria-invalid]');
    (wrong ?? (isStopped.current ? place.current?.querySelector('textarea') : null))?.focus();
    isStopped.current = false;
  }, [status]);

  if (folded && !isReady) {
    return (
      <p>
        <a href={pathWith(tipsPath, { coverage: coverage || null })}>{messages.link}</a>
      </p>
    );
  }
  return (
    <div ref={place} tabIndex={-1} className="tip">
      <TipsLeft
        left={left}
        onGiveBack={status.step === 'writing' ? giveBack : undefined}
        onThrowAway={office.throwAway}
      />
      {status.step === 'taken' ? (
        <TipTaken {...status} onAnother={writeOn} />
      ) : (
        <form
          method="post"
          action={tipsPath}
          encType="multipart/form-data"
          noValidate
          onFocus={office.load}
          onSubmit={onSubmit}
          onInput={(event) => kept.keep(readTip(new FormData(event.currentTarget)))}
        >
          <TipFields
            text={{ ...text, coverage }}
            status={status}
            isReady={isReady}
            isBack={isBack}
            me={me?.name}
            onPhoto={office.expectPhoto}
            onStop={() => stopping.current?.abort()}
            onThrowAway={throwAway}
          />
        </form>
      )}
      {isReady && !folded && <TipReceipts key={status.step} />}
    </div>
  );
}

const formIn = (place: RefObject<HTMLElement | null>) => place.current?.querySelector('form') ?? null;
