-- AlterTable
ALTER TABLE "SipTrunk" ADD COLUMN     "ingressHostOnly" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "SipTrunkSource" (
    "trunkId" INTEGER NOT NULL,
    "network" INET NOT NULL,

    CONSTRAINT "SipTrunkSource_pkey" PRIMARY KEY ("trunkId","network")
);

-- CreateIndex
CREATE INDEX "SipTrunkSource_network_idx" ON "SipTrunkSource" USING GIST ("network" inet_ops);

-- CreateIndex
CREATE INDEX "SipRefusal_at_idx" ON "SipRefusal"("at");

-- AddForeignKey
ALTER TABLE "SipTrunkSource" ADD CONSTRAINT "SipTrunkSource_trunkId_fkey" FOREIGN KEY ("trunkId") REFERENCES "SipTrunk"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The networks follow the trunk's list whoever writes it: a trigger cannot be forgotten as a line of code can.
CREATE FUNCTION sip_trunk_sources() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "SipTrunkSource" WHERE "trunkId" = NEW."id";
  INSERT INTO "SipTrunkSource" ("trunkId", "network")
    SELECT DISTINCT NEW."id", source::inet FROM unnest(NEW."inboundSourceCidrs") AS source;
  RETURN NULL;
END $$;

CREATE TRIGGER "SipTrunk_sources" AFTER INSERT OR UPDATE OF "inboundSourceCidrs" ON "SipTrunk"
  FOR EACH ROW EXECUTE FUNCTION sip_trunk_sources();

INSERT INTO "SipTrunkSource" ("trunkId", "network")
  SELECT DISTINCT t."id", source::inet FROM "SipTrunk" t, unnest(t."inboundSourceCidrs") AS source;
