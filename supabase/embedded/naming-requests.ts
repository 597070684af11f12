import type { RequestListener } from 'node:http';
import { isRequestId, newRequestId, REQUEST_ID, underRequest } from '../log/request.ts';

/** Answers each request under the id that the site has given it, or one of its own, and says which. */
export function namingRequests(answer: RequestListener): RequestListener {
  return (request, response) => {
    const given = request.headers[REQUEST_ID];
    const id = isRequestId(given) ? given : newRequestId();
    response.setHeader(REQUEST_ID, id);
    underRequest(id, () => answer(request, response));
  };
}
