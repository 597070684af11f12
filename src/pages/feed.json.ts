import { drawContent } from '../layouts/parts/FeedContent.tsx';
import { siteFeedRoute } from '../lib/feeds/answer.ts';

export const GET = siteFeedRoute('json', drawContent);
