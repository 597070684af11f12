import { STATUS_CODES } from 'node:http';

/** Gives a page's answer a status other than 200, with its own phrase. */
export function setStatus(response: { status?: number; statusText?: string }, status: number): void {
  response.status = status;
  response.statusText = STATUS_CODES[status] ?? '';
}
