-- Forwarding rules, and the calls that they forward from one trunk to another.
CREATE TYPE "ForwardedCallState" AS ENUM ('RINGING', 'ANSWERED', 'ENDED');
CREATE TYPE "ForwardedCallEnd" AS ENUM ('CALLER', 'CALLED', 'SYSTEM');

CREATE TABLE "ForwardingRule" (
  "id" SERIAL PRIMARY KEY,
  "trunkId" INTEGER NOT NULL REFERENCES "SipTrunk"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "prefix" TEXT NOT NULL,
  "called" TEXT NOT NULL,
  "toTrunkId" INTEGER NOT NULL REFERENCES "SipTrunk"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "toNumber" TEXT,
  "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX "ForwardingRule_trunkId_prefix_called_key" ON "ForwardingRule"("trunkId", "prefix", "called");
CREATE INDEX "ForwardingRule_toTrunkId_idx" ON "ForwardingRule"("toTrunkId");

CREATE TABLE "ForwardedCall" (
  "id" SERIAL PRIMARY KEY,
  "inviteId" UUID NOT NULL,
  "trunkId" INTEGER NOT NULL REFERENCES "SipTrunk"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "toTrunkId" INTEGER REFERENCES "SipTrunk"("id") ON DELETE SET NULL ON UPDATE CASCADE,
  "caller" TEXT,
  "called" TEXT,
  "mediaNodeId" TEXT NOT NULL,
  "inLegId" TEXT NOT NULL,
  "outLegId" TEXT NOT NULL,
  "state" "ForwardedCallState" NOT NULL DEFAULT 'RINGING',
  "startedAt" TIMESTAMPTZ(3) NOT NULL,
  "answeredAt" TIMESTAMPTZ(3),
  "endedAt" TIMESTAMPTZ(3),
  "endedBy" "ForwardedCallEnd",
  "sipStatus" INTEGER,
  "reason" TEXT
);
CREATE UNIQUE INDEX "ForwardedCall_inviteId_key" ON "ForwardedCall"("inviteId");
CREATE INDEX "ForwardedCall_trunkId_idx" ON "ForwardedCall"("trunkId");
CREATE INDEX "ForwardedCall_toTrunkId_idx" ON "ForwardedCall"("toTrunkId");
CREATE INDEX "ForwardedCall_startedAt_idx" ON "ForwardedCall"("startedAt");
-- The heartbeats of realtime look for those whose media node is gone.
CREATE INDEX "ForwardedCall_live" ON "ForwardedCall"("id") WHERE "state" <> 'ENDED';

-- As for Call: an INVITE that got its final response without a decision is not forwarded.
CREATE TRIGGER "ForwardedCall_withdrawn_invite" BEFORE INSERT ON "ForwardedCall"
  FOR EACH ROW EXECUTE FUNCTION call_of_withdrawn_invite();
