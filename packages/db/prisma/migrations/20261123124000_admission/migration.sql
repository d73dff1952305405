-- AlterTable
ALTER TABLE "RealtimeNode" ADD COLUMN     "overloadedUntil" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "ConsumerLiveCalls" (
    "consumerId" INTEGER NOT NULL,
    "calls" INTEGER NOT NULL,

    CONSTRAINT "ConsumerLiveCalls_pkey" PRIMARY KEY ("consumerId")
);

-- CreateTable
CREATE TABLE "WithdrawnInvite" (
    "inviteId" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "WithdrawnInvite_pkey" PRIMARY KEY ("inviteId")
);

-- CreateIndex
CREATE INDEX "WithdrawnInvite_at_idx" ON "WithdrawnInvite"("at");

-- AddForeignKey
ALTER TABLE "ConsumerLiveCalls" ADD CONSTRAINT "ConsumerLiveCalls_consumerId_fkey" FOREIGN KEY ("consumerId") REFERENCES "Consumer"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The row is updated for every call: free space keeps the updates on its page, without a change of the index.
ALTER TABLE "ConsumerLiveCalls" SET (fillfactor = 50);

CREATE FUNCTION consumer_live_calls_began() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "ConsumerLiveCalls" ("consumerId", "calls") VALUES (NEW."consumerId", 1)
    ON CONFLICT ("consumerId") DO UPDATE SET "calls" = "ConsumerLiveCalls"."calls" + 1;
  RETURN NULL;
END $$;

CREATE FUNCTION consumer_live_calls_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "ConsumerLiveCalls" SET "calls" = "calls" - 1 WHERE "consumerId" = OLD."consumerId";
  RETURN NULL;
END $$;

CREATE TRIGGER "LiveCall_began" AFTER INSERT ON "LiveCall"
  FOR EACH ROW EXECUTE FUNCTION consumer_live_calls_began();

-- Deferred to the commit: a transaction that ends a call waits for this lock last and holds it shortly, so it cannot be part of a deadlock.
CREATE CONSTRAINT TRIGGER "LiveCall_ended" AFTER DELETE ON "LiveCall" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION consumer_live_calls_ended();

INSERT INTO "ConsumerLiveCalls" ("consumerId", "calls")
  SELECT "consumerId", count(*) FROM "LiveCall" GROUP BY "consumerId"
  ON CONFLICT ("consumerId") DO UPDATE SET "calls" = EXCLUDED."calls";

-- A withdrawal and the call of the same INVITE are serialized: the call sees a committed withdrawal, and after the withdrawal has been
-- inserted, a call that was committed before is visible. 1903262 is the first key of these locks.
CREATE FUNCTION withdrawn_invite_lock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1903262, hashtext(NEW."inviteId"::text));
  RETURN NEW;
END $$;

CREATE FUNCTION call_of_withdrawn_invite() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1903262, hashtext(NEW."inviteId"::text));
  -- A statement of its own: its snapshot is taken after the lock.
  PERFORM 1 FROM "WithdrawnInvite" WHERE "inviteId" = NEW."inviteId";
  IF FOUND THEN
    RAISE unique_violation USING
      MESSAGE = 'the INVITE was withdrawn', TABLE = 'Call', CONSTRAINT = 'Call_inviteId_withdrawn';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "WithdrawnInvite_lock" BEFORE INSERT ON "WithdrawnInvite"
  FOR EACH ROW EXECUTE FUNCTION withdrawn_invite_lock();

CREATE TRIGGER "Call_withdrawn_invite" BEFORE INSERT ON "Call"
  FOR EACH ROW WHEN (NEW."inviteId" IS NOT NULL) EXECUTE FUNCTION call_of_withdrawn_invite();
