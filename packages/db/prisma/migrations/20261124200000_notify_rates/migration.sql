-- Processes keep the prices of rate decks in memory (RateIndexes in core). Every process is notified when the prices of a deck have changed: each
-- change adds to the deck's log of imports and manual changes. Also of its currency and its end.
CREATE FUNCTION notify_rates_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('clarion_rates', NEW."deckId"::text);
  RETURN NULL;
END $$;

CREATE TRIGGER "RateImport_added" AFTER INSERT ON "RateImport"
  FOR EACH ROW EXECUTE FUNCTION notify_rates_changed();

CREATE TRIGGER "RateDeck_changed" AFTER UPDATE OF "currency" OR DELETE ON "RateDeck"
  FOR EACH ROW EXECUTE FUNCTION notify_row_changed('clarion_rates');
