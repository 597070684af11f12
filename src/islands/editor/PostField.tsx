import { type ComponentType, useState } from 'react';
import { useMessages } from '../desk/messages.tsx';
import type { PostFieldProps } from './PostFields.tsx';

/** Fields that quote a post. Their script is loaded when they are first opened. */
export function PostField(props: PostFieldProps) {
  const messages = useMessages();
  const [Fields, setFields] = useState<ComponentType<PostFieldProps>>();
  const load = () => void import('./PostFields.tsx').then(({ PostFields }) => setFields(() => PostFields));
  return (
    <details className="link-field" onToggle={({ currentTarget }) => currentTarget.open && !Fields && load()}>
      <summary>{messages.deskPosts.title}</summary>
      {Fields && <Fields {...props} />}
    </details>
  );
}
