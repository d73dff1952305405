-- Entries that only become shorter cannot overlap, so they are not compared with the others. The statements are planned each time, because plpgsql
-- would keep a plan for a statement without rows. LIMIT keeps the search an index scan for each row: the planner believes that a deck which is
-- new has one entry, and would compare each entry of a large one with all others.
CREATE OR REPLACE FUNCTION "RateEntry_one_price"() RETURNS trigger LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
  decks int[];
  grown boolean;
  wrong text;
BEGIN
  decks := ARRAY(SELECT DISTINCT "deckId" FROM changed ORDER BY "deckId");
  PERFORM 1 FROM "RateDeck" d WHERE d."id" = ANY (decks) ORDER BY d."id" FOR NO KEY UPDATE;
  IF TG_OP = 'UPDATE' THEN
    EXECUTE 'SELECT EXISTS (SELECT FROM changed c WHERE NOT EXISTS (
      SELECT FROM before b WHERE b."id" = c."id" AND b."deckId" = c."deckId" AND b."prefix" = c."prefix" AND b."effectiveFrom" <= c."effectiveFrom"
        AND coalesce(b."effectiveTo", ''infinity'') >= coalesce(c."effectiveTo", ''infinity'')))' INTO grown;
    IF NOT grown THEN
      RETURN NULL;
    END IF;
  END IF;
  EXECUTE 'SELECT min(c."prefix") FROM changed c, LATERAL (
    SELECT FROM "RateEntry" e
    WHERE e."deckId" = c."deckId" AND e."prefix" = c."prefix" AND e."id" <> c."id"
      AND e."effectiveFrom" < coalesce(c."effectiveTo", ''infinity'') AND c."effectiveFrom" < coalesce(e."effectiveTo", ''infinity'')
    LIMIT 1) overlapping' INTO wrong;
  IF wrong IS NOT NULL THEN
    RAISE EXCLUSION_VIOLATION USING MESSAGE = format('prefix %s would have two prices at the same time', wrong), CONSTRAINT = 'RateEntry_one_price';
  END IF;
  RETURN NULL;
END $$;

DROP TRIGGER "RateEntry_one_price_updated" ON "RateEntry";
CREATE TRIGGER "RateEntry_one_price_updated" AFTER UPDATE ON "RateEntry"
  REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION "RateEntry_one_price"();
