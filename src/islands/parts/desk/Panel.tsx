import { type ReactNode, useEffect, useRef } from 'react';

/** Something that opened in its place: the focus goes into it. Where it goes from there is for whoever closes it. */
export function Panel({ children }: { children: ReactNode }) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.querySelector<HTMLElement>('textarea, input, button')?.focus(), []);
  return (
    <div className="panel" ref={panel}>
      {children}
    </div>
  );
}
