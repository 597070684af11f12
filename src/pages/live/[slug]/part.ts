import { drawPart } from '../../../layouts/parts/CoveragePart.tsx';
import { partRoute } from '../../../lib/http/coverage-responses.ts';

export const GET = partRoute(drawPart);
