-- Rows are inserted by COPY and read once, all rows of a file at a time: the index would only cost time.
ALTER TABLE "RateStaging" DROP CONSTRAINT "RateStaging_pkey";
