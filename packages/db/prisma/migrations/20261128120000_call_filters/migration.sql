-- Call filters: what happens to inbound calls whose tech prefix has the purpose FILTER.
CREATE TYPE "CallFilterAction" AS ENUM ('REDIRECT', 'REJECT');

CREATE TABLE "CallFilter" (
  "id" SERIAL PRIMARY KEY,
  "trunkId" INTEGER NOT NULL REFERENCES "SipTrunk"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "prefix" TEXT NOT NULL,
  "caller" TEXT NOT NULL,
  "called" TEXT NOT NULL,
  "action" "CallFilterAction" NOT NULL,
  "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE UNIQUE INDEX "CallFilter_trunkId_prefix_caller_called_key" ON "CallFilter"("trunkId", "prefix", "caller", "called");
