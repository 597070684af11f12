import { drawContent } from '../../../layouts/parts/FeedContent.tsx';
import { topicFeedRoute } from '../../../lib/feeds/answer.ts';

export const GET = topicFeedRoute('atom', drawContent);
