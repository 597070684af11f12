import type { BackendAddress } from '../backend-process.ts';

/** Where a site's process finds the port that the supervisor holds: behind its channel. */
export const PORT_FD = 4;

/** What a site's process is told first. */
export const BEGIN = 'begin';
export type Begin = {
  /** Where the port is, as an origin. */
  url: string;
  /** Another one answers visitors until this one can: it takes the port when it is ready. */
  behind: boolean;
};

/** Told as soon as it is known where the backend is; nowhere of ours, when a project has it. */
export const FOUND = 'found';
export type Found = { backend: BackendAddress | undefined };

/** Told to the first one: it may say what a person is to do. */
export const ANNOUNCE = 'announce';

/** Told to one that another has taken the place of. */
export const LEAVE = 'leave';

/** Waits, from when it is called, for the first message of a type. */
export function hear<Said>(type: string): Promise<Said> {
  return new Promise((resolve) => {
    process.on('message', (message: { type: string }) => {
      if (message.type === type) resolve(message as Said);
    });
  });
}
