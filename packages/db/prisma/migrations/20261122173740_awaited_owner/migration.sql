-- AlterTable
ALTER TABLE "LiveCall" ADD COLUMN     "awaitedOwnerId" INTEGER;

-- Few calls ever wait for an owner, and each agent who is let go is looked up here.
CREATE INDEX "LiveCall_awaitedOwnerId" ON "LiveCall"("awaitedOwnerId") WHERE "awaitedOwnerId" IS NOT NULL;
