import { type ComponentType, startTransition } from 'react';
import { jsx } from 'react/jsx-runtime';
import { hydrateRoot } from 'react-dom/client';
import { loadMessages } from './learn.ts';

/** Astro's element around what stands between an island's tags: React need know nothing of it. */
const Slot = 'astro-slot' as unknown as ComponentType<object>;

/** The markup between an island's tags, as Astro gives it. */
type Slots = { default?: string };

/**
 * Starts an island in the markup that the server made of it: the browser's half of `@astrojs/react`, without what no
 * island here has (named slots, states of forms, markup made by the browser alone). What stands between an island's
 * tags stays as it is. The markup's words are known before it starts.
 */
const hydrate =
  (island: HTMLElement) =>
  async (Island: ComponentType<object>, props: object, { default: __html }: Slots): Promise<void> => {
    await loadMessages();
    const dangerouslySetInnerHTML = { __html };
    const children = __html && jsx(Slot, { suppressHydrationWarning: true, dangerouslySetInnerHTML });
    const identifierPrefix = island.getAttribute('prefix') ?? '';
    startTransition(() => {
      hydrateRoot(island, jsx(Island, { ...props, children }), { identifierPrefix });
    });
  };

export default hydrate;
