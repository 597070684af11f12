-- Index of the published urgent updates of each coverage, newest last. The live page reads the newest one of them for
-- its banner, and the desk compares its time with that of the summary.
create index updates_urgent on public.updates (coverage_id, number) where urgency = 'urgent' and state = 'published';
