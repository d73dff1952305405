-- The sweep of pending events reads only those that are due (Prisma's schema cannot say so).
CREATE INDEX "Event_pending_nextAttemptAt" ON "Event"("nextAttemptAt") WHERE "status" = 'PENDING';
