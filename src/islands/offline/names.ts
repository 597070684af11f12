/** What the worker keeps on a device begins with this, so that it can be told from what is not the worker's. */
export const PREFIX = 'stoppress-';

/** Public pages that were seen. The number is that of the form in which they are kept. */
export const PAGES = `${PREFIX}pages-1`;

/** What was taken back of late, so that no answer on its way brings it here again. */
export const TAKEN_BACK = `${PREFIX}taken-back-1`;

/** Which alerts were shown of late, and for whom this device is set up to show them. */
export const ALERTS = `${PREFIX}alerts-1`;

/** What stands in for a page that is not there. */
export const SHELLS = `${PREFIX}shells-1`;

export const OFFLINE_PATH = '/offline';
