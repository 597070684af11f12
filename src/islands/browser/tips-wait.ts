const PLACE = 'stoppress.tips';

/** Whether tips that were pressed wait on this device: their forms start by themselves then. This stands in each page. */
export function doTipsWait(): boolean {
  try {
    return PLACE in localStorage;
  } catch {
    return false;
  }
}

/** @param wait false once nothing waits any more */
export function setTipsWait(wait: boolean): void {
  try {
    if (wait) localStorage.setItem(PLACE, '1');
    else localStorage.removeItem(PLACE);
  } catch {
    // What keeps nothing keeps no tips.
  }
}
