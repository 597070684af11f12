import { word } from '../_shared/word.ts';

const encoder = new TextEncoder();
let aborted = 0;

/** Well-behaved functions, selected by the last part of the path. */
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

  /** Streams the request back. */
  back: (request) => new Response(request.body),

  /** Never ends, and detects that its caller leaves. */
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

  /** Responds before the body has arrived. */
  hasty: () => new Response('enough'),

  /** Continues after its response. */
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
