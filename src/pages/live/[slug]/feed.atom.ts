import { drawContent } from '../../../layouts/parts/FeedContent.tsx';
import { coverageFeedRoute } from '../../../lib/feeds/answer.ts';

export const GET = coverageFeedRoute('atom', drawContent);
