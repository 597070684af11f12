import { briefTextRoute } from '../../../lib/http/coverage-brief.ts';

export const GET = briefTextRoute;
