import { drawContent } from '../../../layouts/parts/FeedContent.tsx';
import { topicFeedRoute } from '../../../lib/http/feeds.ts';

export const GET = topicFeedRoute('json', drawContent);
