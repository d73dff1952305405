-- A forwarded call counts on those of its two trunks that have a limit of concurrent calls, until it has ended, as a call does on its own.
ALTER TABLE "ForwardedCall" ADD COLUMN "limitedTrunkIds" INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[];

-- After the trigger that counts it, whose row is locked until the commit: triggers of one kind run in the order of their names.
CREATE FUNCTION forwarded_call_within_limits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM "TrunkLiveCalls" n JOIN "SipTrunk" t ON t."id" = n."trunkId"
    WHERE n."trunkId" = ANY (NEW."limitedTrunkIds") AND n."calls" > t."maxCalls") THEN
    RAISE EXCEPTION 'the limit of concurrent calls of the trunk is reached' USING ERRCODE = 'CL003';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "ForwardedCall_trunk_began" AFTER INSERT ON "ForwardedCall"
  FOR EACH ROW WHEN (cardinality(NEW."limitedTrunkIds") > 0) EXECUTE FUNCTION trunk_live_calls_began();
CREATE TRIGGER "ForwardedCall_trunk_limits" AFTER INSERT ON "ForwardedCall"
  FOR EACH ROW WHEN (cardinality(NEW."limitedTrunkIds") > 0) EXECUTE FUNCTION forwarded_call_within_limits();
CREATE CONSTRAINT TRIGGER "ForwardedCall_trunk_ended" AFTER DELETE ON "ForwardedCall" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (cardinality(OLD."limitedTrunkIds") > 0) EXECUTE FUNCTION trunk_live_calls_ended();
CREATE CONSTRAINT TRIGGER "ForwardedCall_trunk_released" AFTER UPDATE OF "limitedTrunkIds" ON "ForwardedCall" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD."limitedTrunkIds" IS DISTINCT FROM NEW."limitedTrunkIds") EXECUTE FUNCTION trunk_live_calls_ended();
