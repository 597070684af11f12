/** Misbehaving functions in the older form with `Deno.serve`, selected by the last part of the path. */
const deeds: Record<string, (request: Request) => unknown> = {
  pid: () => Deno.pid,
  throw: () => {
    throw new Error('a secret of the inside');
  },
  nothing: () => undefined,
  late: () => {
    setTimeout(() => {
      throw new Error('too late');
    });
    return new Promise(() => {});
  },
  loop: () => {
    console.log('for ever');
    for (;;);
  },
  heap: () => {
    const kept: object[] = [];
    for (;;) kept.push(Array.from({ length: 1_000 }, (_, index) => ({ index })));
  },
  async buffers() {
    const kept: Uint8Array[] = [];
    for (;;) {
      kept.push(new Uint8Array(4_000_000).fill(1));
      // On a busy machine the function would otherwise be ended for blocking its thread.
      await new Promise((resolve) => setTimeout(resolve));
    }
  },
  drip: () =>
    new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('drop')) })),
  hang: () => new Promise(() => {}),
  async probe(request) {
    const { file, url, port } = await request.json();
    const tries: Record<string, () => unknown> = {
      read: () => Deno.readTextFile(file),
      write: () => Deno.writeTextFile(`${file}.written`, ''),
      list: () => Array.from(Deno.readDirSync('/')),
      run: () => new Deno.Command('/bin/true').output(),
      system: () => Deno.hostname(),
      library: () => Deno.dlopen('libc.so.6', {}),
      port: () => fetch(`http://127.0.0.1:${port}/`),
      name: () => fetch('http://example.com/'),
      listen: () => Deno.listen({ hostname: '127.0.0.1', port: 0 }),
      remote: () => import(`https://example.com/${'mod'}.ts`),
      worker: () =>
        new Promise((resolve, reject) => {
          const inner = new Worker(
            `data:text/javascript,Deno.readTextFileSync(${JSON.stringify(file)}); postMessage(1)`,
            {
              type: 'module',
            },
          );
          inner.onmessage = resolve;
          inner.onerror = (event) => {
            event.preventDefault();
            reject(new Error(event.message));
          };
        }),
      exit: () => Deno.exit(0),
      backend: () => fetch(`${url}/health`).then((response) => response.json()),
    };
    const answers: Record<string, unknown> = {};
    for (const [name, attempt] of Object.entries(tries)) {
      answers[name] = await Promise.resolve()
        .then(attempt)
        .catch((error: Error) => error.name);
    }
    return answers;
  },
};

Deno.serve(async (request) => {
  const name = new URL(request.url).pathname.split('/').at(-1) ?? '';
  const done = await deeds[name]?.(request);
  // The gateway must replace values that are no response.
  return done === undefined || done instanceof Response ? (done as Response) : Response.json(done);
});
