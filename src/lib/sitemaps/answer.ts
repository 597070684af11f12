export function xmlAnswer(xml: string, headers: Headers): Response {
  headers.set('Content-Type', 'application/xml; charset=utf-8');
  return new Response(xml, { headers });
}
