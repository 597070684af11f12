import { drawContent } from '../layouts/parts/FeedContent.tsx';
import { siteFeedRoute } from '../lib/http/feeds.ts';

export const GET = siteFeedRoute('json', drawContent);
