/** Adobe's validator comes without types: the part of it that tests/support/structured-data.ts asks. */
declare module '@adobe/structured-data-validator' {
  export default class Validator {
    constructor(vocabulary: object);
    validate(found: { jsonld: Partial<Record<string, object[]>> }): Promise<unknown[]>;
  }
}
