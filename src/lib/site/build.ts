// Put in by the build: see src/lib/server/build-id.ts.
declare const __STOPPRESS_BUILD__: string;

/** Which build this is. Pages and `changes` both carry it, so that an open page learns of a newer one. */
export const BUILD: string = __STOPPRESS_BUILD__;
