import { word } from '../_shared/word.ts';

const encoder = new TextEncoder();
let aborted = 0;

/** What a well-behaved function does, by the last part of its path. */
const answers: Record<string, (request: Request) => Response | Promise<Response>> = {
  async echo(request) {
    const { method, url } = request;
    return Response.json({
      method,
      url,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
      environment: Deno.env.toObject(),
      word,
    });
  },

  /** Sends back what comes, while it comes. */
  back: (request) => new Response(request.body),

  /** Never ends, and notices when its caller goes. */
  endless(request) {
    request.signal.addEventListener('abort', () => {
      aborted += 1;
    });
    return new Response(new ReadableStream({ start: (stream) => stream.enqueue(encoder.encode('begun\n')) }));
  },

  aborted: () => Response.json(aborted),

  page: () =>
    new Response('<script>alert(1)</script>', {
      headers: { 'content-type': 'text/html', 'set-cookie': 'session=stolen' },
    }),

  /** Answers before the body is there. */
  hasty: () => new Response('enough'),

  /** Goes on after its answer. */
  later() {
    EdgeRuntime.waitUntil(Promise.resolve().then(() => console.log('done\nin the background')));
    return new Response(null, { status: 204 });
  },
};

declare const EdgeRuntime: { waitUntil<T>(work: Promise<T>): Promise<T> };

export default {
  fetch(request: Request) {
    const name = new URL(request.url).pathname.split('/').at(-1) ?? '';
    return answers[name]?.(request) ?? new Response(`no ${name}`, { status: 404 });
  },
};
