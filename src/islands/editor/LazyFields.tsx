import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useMessages } from '../desk/messages.tsx';
import type { MediaFieldProps } from '../media/MediaFields.tsx';
import type { PostFieldProps } from './PostFields.tsx';

type LazyFieldsProps<FieldProps> = {
  className: string;
  title: string;
  load(): Promise<ComponentType<FieldProps>>;
  fields: FieldProps;
};

/** Fields behind a heading. Their script is loaded when they are first opened. */
function LazyFields<FieldProps extends object>({
  className,
  title,
  load,
  fields,
}: LazyFieldsProps<FieldProps>) {
  const [Fields, setFields] = useState<ComponentType<FieldProps>>();
  const details = useRef<HTMLDetailsElement>(null);
  const loadWhenOpen = () => {
    if (details.current?.open && !Fields) void load().then((loaded) => setFields(() => loaded));
  };
  // They may have been opened before the script ran.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(loadWhenOpen, []);
  return (
    <details ref={details} className={className} onToggle={loadWhenOpen}>
      <summary>{title}</summary>
      {Fields && <Fields {...fields} />}
    </details>
  );
}

const loadPostFields = async () => (await import('./PostFields.tsx')).PostFields;
const loadMediaFields = async () => (await import('../media/MediaFields.tsx')).MediaFields;

/** Fields that quote a post. */
export function PostField(props: PostFieldProps) {
  const { title } = useMessages().deskPosts;
  return <LazyFields className="link-field" title={title} load={loadPostFields} fields={props} />;
}

/** Fields that upload a video or audio file. */
export function MediaField(props: MediaFieldProps) {
  const { title } = useMessages().composer.media;
  return <LazyFields className="media-field" title={title} load={loadMediaFields} fields={props} />;
}
