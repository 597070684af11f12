import type { Engine } from '../engine/engine.ts';
import { Unavailable } from '../engine/unavailable.ts';
import { log } from '../log.ts';
import { type Asked, type Came, makeRequest } from './request.ts';

/** Requests under way at once. */
const AT_ONCE = 16;

/** How long those under way may take when the backend stops. */
const LAST_MS = 2_000;

export type Requests = {
  /** To be called when there may be something to ask. */
  look(): Promise<void>;
  stop(): Promise<void>;
};

/** Makes the requests of `net.http_request_queue`, in their order as far as they begin, and writes down what came. */
export function openRequests(engine: Engine): Requests {
  const ending = new AbortController();
  const underWay = new Set<Promise<void>>();
  let looking: Promise<void> | undefined;
  let again = false;

  const begin = (asked: Asked) => {
    const made = make(engine, asked, ending.signal).finally(() => {
      underWay.delete(made);
      void look();
    });
    underWay.add(made);
  };

  const fill = async () => {
    do {
      again = false;
      const free = AT_ONCE - underWay.size;
      if (free <= 0 || ending.signal.aborted) return;
      const taken = await take(engine, free);
      taken.forEach(begin);
      // As many as were wanted: there may be more.
      if (taken.length === free) return;
    } while (again);
  };

  /** One at a time; what is asked for meanwhile is looked for after it. */
  function look(): Promise<void> {
    again = true;
    looking ??= fill()
      .catch((error: unknown) => {
        if (!(error instanceof Unavailable)) log.error('The queue of requests was not read.', { error });
      })
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  return {
    look,
    async stop() {
      const enough = setTimeout(() => ending.abort(), LAST_MS);
      await looking;
      while (underWay.size > 0) await Promise.all(underWay);
      clearTimeout(enough);
      ending.abort();
      await looking;
    },
  };
}

/** Takes what is to be asked out of the queue, so that it is asked once whatever happens. */
async function take(engine: Engine, most: number): Promise<Asked[]> {
  const { rows } = await engine.transaction((session) =>
    session.query<Asked>(
      `with taken as (
         delete from net.http_request_queue q
         where q.id in (select id from net.http_request_queue order by id limit $1::integer for update skip locked)
         returning q.*)
       select id::text, method::text as method, url, headers, encode(body, 'base64') as body,
         timeout_milliseconds as timeout from taken order by taken.id`,
      [most],
    ),
  );
  return rows;
}

async function make(engine: Engine, asked: Asked, ending: AbortSignal): Promise<void> {
  const came = await makeRequest(asked, ending);
  try {
    await writeDown(engine, asked.id, came);
  } catch (error) {
    log.error(`What came of the request ${asked.id} was not written down.`, { error });
  }
}

const writeDown = (engine: Engine, id: string, came: Came) =>
  engine.transaction((session) =>
    session.query(
      `insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
       values ($1::bigint, $2::integer, $3, $4::text::jsonb, $5, $6::boolean, $7)`,
      [
        id,
        came.status,
        came.type,
        came.headers && JSON.stringify(came.headers),
        came.content,
        came.timedOut,
        came.error,
      ],
    ),
  );
