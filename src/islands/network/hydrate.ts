import { type ComponentType, startTransition } from 'react';
import { jsx } from 'react/jsx-runtime';
import { hydrateRoot } from 'react-dom/client';
import { loadMessages } from './load-messages.ts';

/** Astro's element around slotted markup. */
const Slot = 'astro-slot' as unknown as ComponentType<object>;

/** Slotted markup as Astro passes it. */
type Slots = { default?: string };

/**
 * Hydrates an island: the browser half of `@astrojs/react` without unused features (named slots, form state,
 * client-only islands). Slotted markup stays unchanged. Messages are loaded first.
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
