import { drawContent } from '../../../layouts/parts/FeedContent.tsx';
import { coverageFeedRoute } from '../../../lib/http/feeds.ts';

export const GET = coverageFeedRoute('json', drawContent);
