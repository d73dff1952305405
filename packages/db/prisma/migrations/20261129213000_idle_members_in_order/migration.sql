-- A limit that is a parameter is unknown to the planner, which then may sort all members of a large queue instead of reading the first idle agents in
-- the order of their index: 3,059 pages instead of 81 with 1,000 members, depending on the sizes of other queues.
ALTER FUNCTION idle_queue(int, int) SET enable_sort = off;
ALTER FUNCTION load_dispatch(int[], timestamptz, int) SET enable_sort = off;
