import { deviceShelf, type Hand, memoryShelf, type Shelf } from './shelf.ts';

/** Where it is kept whose device this is. */
export const PERSON = 'person';

let device: Shelf | undefined;
/** Once the device has failed to keep something, all that comes later is kept by the page alone. */
let page: Shelf | undefined;

/** Whether what was kept last outlives this page. */
export const isDurable = (): boolean => page === undefined;

/** Reads what is kept here. */
export function reading<T>(work: (hand: Hand) => Promise<T>): Promise<T> {
  return having((shelf) => shelf.read(work));
}

/** Changes what is kept here, whole or not at all. */
export function writing<T>(work: (hand: Hand) => Promise<T>): Promise<T> {
  return having((shelf) => shelf.write(work));
}

async function having<T>(work: (shelf: Shelf) => Promise<T>): Promise<T> {
  if (page) return work(page);
  device ??= canKeep() ? deviceShelf() : undefined;
  if (!device) return work(pageShelf());
  try {
    return await work(device);
  } catch (error) {
    // A fault of ours would fail on the other shelf too, and say so there.
    if (!(error instanceof DOMException)) throw error;
    return work(await movedTo(device));
  }
}

/** A browser that refuses to keep anything has nothing there, or throws where it is looked for. */
function canKeep(): boolean {
  try {
    return Boolean(globalThis.indexedDB);
  } catch {
    return false;
  }
}

function pageShelf(): Shelf {
  page ??= memoryShelf();
  return page;
}

/** Takes along what can be read, so that what waits is still sent in its order. */
async function movedTo(from: Shelf): Promise<Shelf> {
  const [drafts, presses, person] = await from
    .read(
      async (hand) =>
        [await hand.all('drafts'), await hand.all('presses'), await hand.get('device', PERSON)] as const,
    )
    .catch(() => [[], [], undefined] as const);
  if (page) return page;
  const to = pageShelf();
  await to.write(async (hand) => {
    for (const draft of drafts) await hand.put('drafts', draft.key, draft);
    for (const press of presses) await hand.put('presses', press.id, press);
    if (person) await hand.put('device', PERSON, person);
  });
  return to;
}
