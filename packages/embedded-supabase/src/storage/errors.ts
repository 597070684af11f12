import { isDatabaseError, UnavailableError } from '../engine/errors.ts';
import { isDiskFull } from '../engine/reserve.ts';
import { internalErrorResponse } from '../gateway/responses.ts';
import { backendLog } from '../log/log.ts';
import { InvalidTokenError } from '../tokens.ts';

/** A refused request, with the codes and messages that Storage has on a hosted project. */
export class StorageError extends Error {
  override name = 'StorageError';
  /** HTTP status of the error. Clients read it as `statusCode`. */
  readonly status: number;
  readonly code: string;
  /** Older name of the code. */
  readonly error: string;
  /**
   * Status of the response. As on hosted, most refusals have 400 here. The statuses 429 and 5xx are sent as they are.
   */
  readonly sentStatus: number;

  constructor(status: number, code: string, message: string, error = code, sentStatus?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.error = error;
    this.sentStatus = sentStatus ?? (status >= 500 || status === 429 ? status : 400);
  }
}

export const bucketNotFound = () =>
  new StorageError(404, 'NoSuchBucket', 'Bucket not found', 'Bucket not found');
export const objectNotFound = () => new StorageError(404, 'NoSuchKey', 'Object not found', 'not_found');
const duplicate = (code: string) => new StorageError(409, code, 'The resource already exists', 'Duplicate');
export const bucketExists = () => duplicate('BucketAlreadyExists');
export const accessDenied = (message = 'new row violates row-level security policy') =>
  new StorageError(403, 'AccessDenied', message, 'Unauthorized');
export const entityTooLarge = () =>
  new StorageError(
    413,
    'EntityTooLarge',
    'The object exceeded the maximum allowed size',
    'Payload too large',
  );
export const invalidMimeType = (type: string) =>
  new StorageError(415, 'InvalidMimeType', `mime type ${type} is not supported`, 'invalid_mime_type');
/** A JSON route that was sent another type. The framework of Storage answers it, with its own name and status. */
export const unsupportedMediaType = () =>
  new StorageError(415, 'InvalidMimeType', 'Unsupported Media Type', 'FastifyError', 415);
export const invalidRequest = (message: string) => new StorageError(400, 'InvalidRequest', message);
/** Returns the refusal of a feature that a hosted project may have disabled too. */
export const notSupported = (feature: string) =>
  new StorageError(409, 'FeatureNotEnabled', `The feature ${feature} is not enabled for this resource`);

/** Converts an error to a refusal. @returns undefined for an internal error */
export function asStorageError(error: unknown): StorageError | undefined {
  if (error instanceof StorageError) return error;
  if (error instanceof InvalidTokenError) {
    return accessDenied(error.expired ? '"exp" claim timestamp check failed' : 'Invalid Compact JWS');
  }
  if (error instanceof UnavailableError) {
    return new StorageError(503, 'DatabaseConnectionLimit', 'Try again in a moment.');
  }
  // The disk became full after the space check.
  if (isDiskFull(error)) {
    backendLog.error('The disk is full: a file was not stored.');
    return new StorageError(503, 'InsufficientStorage', 'There is no room for another file at the moment.');
  }
  if (!isDatabaseError(error)) return undefined;
  // Status codes that our SQL functions raise: PT401 is 401.
  const raisedStatus = /^PT([2-4]\d\d)$/.exec(error.code)?.[1];
  if (raisedStatus) return new StorageError(Number(raisedStatus), error.message, error.hint ?? error.message);
  // As on hosted, the name of the table is left out.
  if (error.code === '42501') return accessDenied(error.hint ? error.message : undefined);
  if (error.code === '23505') return duplicate('KeyAlreadyExists');
  if (error.code === '23503') return new StorageError(409, 'InvalidRequest', 'The resource is still in use');
  // Class 22: invalid values. Class 23: violated constraints. P0001: errors that a trigger raises.
  if (/^(22|23|P0001)/.test(error.code)) return new StorageError(400, 'DatabaseError', error.message);
  return undefined;
}

/** Creates the response for an error. Its body contains the status of the error, also where 400 is sent. */
export function storageErrorResponse(error: unknown): Response {
  const refusal = asStorageError(error);
  if (!refusal) return internalErrorResponse(error);
  const { status, sentStatus, code, error: name, message } = refusal;
  return Response.json(
    { statusCode: String(status), code, error: name, message },
    { status: sentStatus, headers: { 'cache-control': 'no-store' } },
  );
}
