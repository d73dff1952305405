-- AlterTable
ALTER TABLE "LiveCall" ADD COLUMN     "lastEventAt" TIMESTAMPTZ(3);
