/** Name of the document event after the desk learned of a change. */
export const DESK_CHANGED = 'stoppress:desk-changed';
