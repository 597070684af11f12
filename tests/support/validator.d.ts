/** The part of Adobe's validator that tests/support/structured-data.ts uses. The package has no types. */
declare module '@adobe/structured-data-validator' {
  export default class Validator {
    constructor(vocabulary: object);
    validate(data: { jsonld: Partial<Record<string, object[]>> }): Promise<unknown[]>;
  }
}
