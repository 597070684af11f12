import { useEffect, useState } from 'react';
import type { BrowserBackend } from '../lib/data/browser-client.ts';
import type { Language } from '../lib/i18n/language.ts';
import { AwayDesk } from './desk/AwayDesk.tsx';
import { deskIsland } from './desk/messages.tsx';
import { Unreachable } from './desk/notes.tsx';
import { type OfflineDeskResult, onDeskChange, readOfflineDesk } from './desk/offline-desk.ts';
import { requestSyncForCommands } from './outbox/background-sync.ts';
import { UpdateComposer } from './UpdateComposer.tsx';

function Desk({ backend, language }: { backend: BrowserBackend; language: Language }) {
  const [desk, setDesk] = useState<OfflineDeskResult | null>(null);
  useEffect(() => {
    const find = () => void readOfflineDesk(location.pathname).then(setDesk);
    find();
    return onDeskChange(find);
  }, []);
  const person = desk?.context?.person.id;
  useEffect(() => (person ? requestSyncForCommands(person) : undefined), [person]);
  if (!desk?.context) return <Unreachable known={desk?.known} />;
  const context = { ...desk.context, backend, language };
  return (
    // Another person gets a new component.
    <AwayDesk key={context.person.id} {...context}>
      <UpdateComposer {...context} />
    </AwayDesk>
  );
}

/**
 * Stands in for the desk while it cannot be reached. A person who has opened this desk on this device before can write
 * into the outbox; others see that there is no connection.
 */
export const OfflineDesk = deskIsland(Desk);
