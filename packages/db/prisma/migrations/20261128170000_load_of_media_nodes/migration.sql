-- What the operator's list of nodes shows of a media node.
ALTER TABLE "MediaNode"
  ADD COLUMN "legs" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "capacity" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "draining" BOOLEAN NOT NULL DEFAULT false;
