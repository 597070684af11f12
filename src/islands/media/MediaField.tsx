import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useMessages } from '../desk/messages.tsx';
import type { MediaFieldProps } from './MediaFields.tsx';

/** Fields that upload a video or audio file. Their script is loaded when they are first opened. */
export function MediaField(props: MediaFieldProps) {
  const messages = useMessages();
  const [Fields, setFields] = useState<ComponentType<MediaFieldProps>>();
  const load = () => void import('./MediaFields.tsx').then(({ MediaFields }) => setFields(() => MediaFields));
  const details = useRef<HTMLDetailsElement>(null);
  // It may have been opened before the script ran.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (details.current?.open) load();
  }, []);
  return (
    <details
      ref={details}
      className="media-field"
      onToggle={({ currentTarget }) => currentTarget.open && !Fields && load()}
    >
      <summary>{messages.composer.media.title}</summary>
      {Fields && <Fields {...props} />}
    </details>
  );
}
