import { useEffect, useState } from 'react';
import type { BrowserBackend } from '../lib/data/browser-client.ts';
import { AwayDesk } from './desk/AwayDesk.tsx';
import { Unreachable } from './desk/notes.tsx';
import { type Found, findDesk, onDeskChange } from './desk/offline-desk.ts';
import { requestSyncForCommands } from './outbox/background-sync.ts';
import { UpdateComposer } from './UpdateComposer.tsx';

/**
 * Stands in for the desk where it cannot be reached: on the page of a coverage whose desk this person has opened here
 * before, one writes and publishes into the outbox. Whoever has not, or has signed out, reads that there is no line.
 */
export function OfflineDesk({ backend }: { backend: BrowserBackend }) {
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    const find = () => void findDesk(location.pathname).then(setFound);
    find();
    return onDeskChange(find);
  }, []);
  const person = found?.context?.person.id;
  useEffect(() => (person ? requestSyncForCommands(person) : undefined), [person]);
  if (!found?.context) return <Unreachable known={found?.known} />;
  const context = { ...found.context, backend };
  return (
    // Another person's page is another page.
    <AwayDesk key={context.person.id} {...context}>
      <UpdateComposer {...context} />
    </AwayDesk>
  );
}
