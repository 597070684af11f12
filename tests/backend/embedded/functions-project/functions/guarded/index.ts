Deno.serve({ port: 8000 }, () => new Response('in'));
