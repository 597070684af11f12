/** Name of the event of a document whose desk has heard that something changed. */
export const HEARD = 'stoppress:heard';
