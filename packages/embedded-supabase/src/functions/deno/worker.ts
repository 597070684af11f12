/// <reference lib="deno.worker" />
// The thread that a function runs in. It loads the function in either of its forms, `export default { fetch }` or
// `Deno.serve(handler)`, and serves it on the socket that the gateway calls.

import type { SupervisorMessage, WorkerMessage } from './protocol.ts';

/** Path of the socket, base URL that the function sees in its requests, and file of the function. */
const [socket = '', baseUrl = '', entrypoint = ''] = Deno.args;

type Handler = (request: Request, info: Deno.ServeHandlerInfo) => Response | Promise<Response>;

const notifySupervisor = (message: WorkerMessage) => self.postMessage(message);
const serve = Deno.serve;

/** Work that continues after the response. Functions add to it with `EdgeRuntime`, a global of hosted projects. */
const background = new Set<Promise<unknown>>();
Object.assign(globalThis, {
  EdgeRuntime: {
    waitUntil<T>(work: Promise<T>): Promise<T> {
      background.add(work);
      const done = () => background.delete(work);
      work.then(done, (error) => {
        done();
        console.error(error);
      });
      return work;
    },
  },
});

// Replaces `Deno.serve`, so that both forms only provide a handler. The function opens no port.
let handler: Handler | undefined;
Object.assign(Deno, {
  serve(...args: unknown[]) {
    const options = args.find((argument) => typeof argument === 'object' && argument !== null) as
      | { handler?: Handler }
      | undefined;
    handler =
      (args.find((argument) => typeof argument === 'function') as Handler | undefined) ?? options?.handler;
    return { finished: new Promise<void>(() => {}), shutdown: async () => {}, ref() {}, unref() {} };
  },
  exit(): never {
    throw new Error('A function does not end its process.');
  },
});

self.addEventListener('message', async ({ data }: MessageEvent<SupervisorMessage>) => {
  if (data === 'beat') notifySupervisor('beat');
  if (data !== 'end') return;
  self.dispatchEvent(new Event('beforeunload'));
  await Promise.allSettled(background);
  notifySupervisor('ended');
});

try {
  const exported: unknown = (await import(entrypoint)).default;
  const exportedObject = exported as { fetch?: Handler } | undefined;
  if (typeof exportedObject?.fetch === 'function')
    handler = (request, info) => exportedObject.fetch?.(request, info) as Response;
  if (!handler) throw new Error('It has neither `export default { fetch }` nor `Deno.serve(handler)`.');
  listen(handler);
} catch (error) {
  console.error(error);
  notifySupervisor('failed');
}

function listen(handle: Handler): void {
  serve({
    path: socket,
    onListen: () => notifySupervisor('ready'),
    async handler(request, info) {
      const { pathname, search } = new URL(request.url);
      // The gateway sends this request to check that the function listens.
      if (pathname === '/') return new Response(null, { status: 204 });
      const functionRequest = new Request(`${baseUrl}${pathname}${search}`, request);
      const response = await handle(functionRequest, info as unknown as Deno.ServeHandlerInfo);
      if (response instanceof Response) return response;
      throw new TypeError('The function did not return a Response.');
    },
    onError(error) {
      console.error(error);
      return Response.json(
        { code: 'WORKER_ERROR', message: 'Function exited due to an error (please check logs)' },
        { status: 500, headers: { 'sb-error-code': 'WORKER_ERROR' } },
      );
    },
  });
}
