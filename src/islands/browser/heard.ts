/** Name of the event of a document whose desk has heard that something changed. */
export const DESK_CHANGED = 'stoppress:desk-changed';
