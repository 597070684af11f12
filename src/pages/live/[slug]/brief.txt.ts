import { briefTextRoute } from '../../../lib/http/coverage-responses.ts';

export const GET = briefTextRoute;
