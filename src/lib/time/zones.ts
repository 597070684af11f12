/** Time zones to choose from, by their IANA names. */
export const zones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')];
